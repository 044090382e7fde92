// Debian's Chromium, driven by playwright-core from web/node_modules.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const { chromium } = createRequire(path.join(root, 'web/package.json'))('playwright-core');

// WebGL without a graphics card: Mesa's is three times as fast, Chromium's own is always there.
const kRenderers = [['--use-angle=gl-egl'], ['--use-angle=swiftshader', '--enable-unsafe-swiftshader']];

async function launch(renderer) {
  const home = mkdtempSync(path.join(tmpdir(), 'stride-browser-'));
  const context = await chromium.launchPersistentContext(home, {
    executablePath: '/usr/bin/chromium',
    headless: true,
    chromiumSandbox: false,
    acceptDownloads: true,
    args: [
      '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
      '--use-gl=angle', '--ignore-gpu-blocklist', ...renderer,
    ],
  });
  return {
    context,
    async close() {
      await context.close();
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

export async function openBrowser() {
  for (const renderer of kRenderers) {
    const browser = await launch(renderer);
    const page = await browser.context.newPage();
    const works = await page.evaluate(() => document.createElement('canvas').getContext('webgl2') !== null);
    await page.close();
    if (works) return browser;
    await browser.close();
  }
  throw new Error('this Chromium draws no WebGL');
}

// A page that collects what it complains about.
export async function openPage(context, size = { width: 1280, height: 800 }) {
  const page = await context.newPage();
  await page.setViewportSize(size);
  page.complaints = [];
  page.on('console', (message) => {
    if (message.type() === 'error') page.complaints.push(message.text());
  });
  page.on('pageerror', (error) => page.complaints.push(String(error)));
  return page;
}
