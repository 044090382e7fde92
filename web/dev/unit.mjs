// Unit tests of the page (src/*.test.ts), bundled by esbuild and run by Node's own test runner.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const source = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../src');
const out = mkdtempSync(path.join(tmpdir(), 'stride-unit-'));
try {
  const tests = readdirSync(source).filter((name) => name.endsWith('.test.ts'));
  if (tests.length === 0) throw new Error(`no tests in ${source}`);
  await build({
    entryPoints: tests.map((name) => path.join(source, name)),
    bundle: true, platform: 'node', format: 'esm', outdir: out, outExtension: { '.js': '.mjs' }, logLevel: 'warning',
  });
  const files = readdirSync(out).map((name) => path.join(out, name));
  process.exitCode = spawnSync(process.execPath, ['--test', ...files], { stdio: 'inherit' }).status ?? 1;
} finally {
  rmSync(out, { recursive: true });
}
