// Pictures of the main views, from the real program: node screenshots.mjs FOLDER [NAME...] (see scripts/screenshots.sh)
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { openBrowser, openPage } from './browser.mjs';
import { startProgram } from './program.mjs';
import { smallPng } from './small_png.mjs';

const folder = process.argv[2];
const laptop = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };

async function perform(page, skill) {
  await page.selectOption('#skill', skill);
  await page.waitForFunction(() => stride.status().setup.skill && stride.frame()?.time > 3);
}

// A push that is still felt in the picture, on a walk.
async function push(page) {
  await perform(page, 'walk');
  await page.fill('#rate', '1'); // a walk that is held for long falls
  await page.waitForFunction(() => stride.status().rate === 0.1);
  const at = await page.evaluate(() => stride.screen(stride.header().world.actors[0].roles.trunk));
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x + 40, at.y - 10, { steps: 3 });
  await page.mouse.move(at.x + 70, at.y - 20, { steps: 3 });
  await page.waitForFunction(() => stride.frame().forces.length > 0);
  await page.waitForTimeout(150);
  await page.keyboard.press(' '); // a walk that is held for long falls
}

async function watch(page, motion) {
  await page.selectOption('#watch', motion);
  await page.waitForFunction(() => stride.mode() === 'recording' && stride.player().time > 0.1);
  await page.click('#tab-plots');
  await page.click('#play');
  await page.fill('#scrub', '1.3');
}

// A point of a thigh under the hand, while it walks.
async function edit(page) {
  await perform(page, 'spline-biped');
  await page.click('#tab-curves');
  const box = await page.locator('[data-point="2"] circle:not(.halo)').boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2 - 12, { steps: 3 });
  await page.mouse.up();
}

const views = [
  ['live', laptop, 'light', push],
  ['dark', laptop, 'dark', async (page) => {
    await perform(page, 'run');
    await page.click('#tab-plots');
    await page.focus('#canvas');
    await page.keyboard.press('m');
    await page.keyboard.press('b');
    await page.waitForTimeout(2600);
    await page.keyboard.press('b');
    await page.waitForFunction(() => stride.frame().actors.length > 1);
    await page.waitForTimeout(180);
    await page.keyboard.press(' ');
  }],
  ['motion', laptop, 'light', (page) => watch(page, 'run')],
  ['curves', laptop, 'light', edit],
  ['phone', phone, 'light', push],
  ['phone-curves', phone, 'light', edit],
  ['phone-dark', phone, 'dark', (page) => watch(page, 'walk')],
];

const chosen = process.argv.slice(3); // names; none: all
const browser = await openBrowser();
for (const [name, size, colorScheme, act] of views) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  const program = await startProgram(process.env.STRIDE_BINARY);
  const page = await openPage(browser.context, size);
  await page.emulateMedia({ colorScheme });
  await page.goto(program.address);
  await page.waitForFunction(() => window.stride?.framesReceived() > 60);
  await page.evaluate(() => document.getElementById('hint').classList.add('gone'));
  await act(page);
  // Sharp, however slow this machine draws.
  await page.evaluate(() => stride.setPixelRatio(2));
  await page.waitForTimeout(900);
  const file = path.join(folder, `viewer-${name}.png`);
  writeFileSync(file, await smallPng(page, await page.screenshot()));
  if (page.complaints.length > 0) throw new Error(`${name}: ${page.complaints}`);
  console.log(file);
  await page.mouse.up();
  await page.close();
  await program.stop();
}
await browser.close();
