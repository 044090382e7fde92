// A page with a stand-in for the program (fake.mjs), opened for each test.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, beforeEach } from 'node:test';
import { openBrowser, openPage, root } from './browser.mjs';
import * as fakes from './fake.mjs';

const html = readFileSync(path.join(root, 'web/dist/index.html'), 'utf8');
export const kPatience = 60_000; // ms
export let page, fake;
let browser;

before(async () => (browser = await openBrowser()));
after(() => browser?.close());
beforeEach(async () => {
  page = await openPage(browser.context);
  page.setDefaultTimeout(kPatience);
  fake = await fakes.playFake(page, html);
  await until(() => stride.framesReceived() > 5);
});
afterEach(async () => {
  fake.end();
  assert.deepEqual(page.complaints, [], 'the console has no errors');
  await page.close();
});

export const until = (what, arg) => page.waitForFunction(what, arg, { timeout: kPatience });

// What the page says, of this type and for which `fits` holds.
export const said = async (type, fits = () => true) => {
  for (const start = Date.now(); Date.now() - start < kPatience;) {
    const message = fake.said.find((one) => one.type === type && fits(one));
    if (message) return message;
    await page.waitForTimeout(50);
  }
  throw new Error(`the page never said ${type}: ${JSON.stringify(fake.said)}`);
};

export async function drop(name, bytes) {
  const data = await page.evaluateHandle(([file, content]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.from(content)], file));
    return transfer;
  }, [name, [...bytes]]);
  for (const type of ['dragover', 'drop']) await page.dispatchEvent('body', type, { dataTransfer: data });
}
