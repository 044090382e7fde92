// The curve editor against a stand-in (fake.mjs).
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import * as fakes from './fake.mjs';
import { fake, page, said, until } from './fake_page.mjs';

beforeEach(async () => {
  assert.ok(!(await page.locator('#tab-curves').isVisible()), 'without curves there is no panel of them');
  fake.curves = fakes.curves();
  fake.sendCurves();
  await page.locator('#tab-curves').waitFor({ state: 'visible' });
  await page.click('#tab-curves');
});

const near = (a, b, within = 0.02) => assert.ok(Math.abs(a - b) < within, `${a} is not ${b}`);
// Once the picture rests: opening the panel lays it out anew, and each drawing replaces its points.
const middle = async (point) => {
  for (let tries = 0, last = null; tries < 100; ++tries) {
    const box = await page.locator(`[data-point="${point}"] circle:not(.halo)`).boundingBox();
    if (box && last && box.x === last.x && box.y === last.y) return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    last = box;
    await page.waitForTimeout(100);
  }
  assert.fail(`point ${point} does not rest`);
};
const value = (curve, point, layer = 1) => fake.curves[curve].cycle.values[layer * fake.curves[curve].cycle.times.length + point];

test('each joint has its curve; one is chosen', async () => {
  assert.deepEqual(await page.locator('#curve option').allTextContents(), ['left_thigh', 'right_thigh']);
  assert.equal(await page.locator('#curve-all .thumb').count(), 2);
  assert.equal(await page.locator('.curve-plot .point').count(), 4);
  await page.locator('#curve-all button').nth(1).click();
  assert.equal(await page.locator('#curve').inputValue(), '1');
  await page.click('[data-part=blend_in]');
  assert.equal(await page.locator('.curve-plot .point').count(), 2);
});

test('a dragged point is sent while it moves, with its mirror image; undo and redo', async () => {
  const was = structuredClone(fake.curves);
  const layers = page.locator('#curve-layers button');
  assert.equal(await layers.count(), 3, 'the surface is a stack of curves');
  await layers.nth(1).click(); // in the middle: 0
  const from = await middle(1);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (let i = 1; i <= 8; ++i) await page.mouse.move(from.x + 2 * i, from.y - 5 * i);
  await said('curve', ({ curve }) => curve === 1); // before the end
  await page.mouse.up();
  await until(() => !document.getElementById('curve-undo').disabled);
  await page.waitForTimeout(300);
  assert.ok(value(0, 1) > 0.45, `${value(0, 1)} rose from 0.4`);
  near(value(1, 3), value(0, 1)); // half a cycle later
  near(fake.curves[1].cycle.times[3], fake.curves[0].cycle.times[1] + 0.5, 0.002);
  near(value(0, 1, 0), was[0].cycle.values[1], 1e-3); // of the other layers nothing but the time
  const edited = structuredClone(fake.curves);
  await page.click('#curve-undo');
  await page.waitForTimeout(300);
  assert.deepEqual(fake.curves, was);
  await page.click('#curve-redo');
  await page.waitForTimeout(300);
  assert.deepEqual(fake.curves, edited);
});

test('without the mirror one side is changed, until it is copied', async () => {
  await page.click('#curve-mirror');
  await page.locator('[data-point="0"]').focus();
  await page.keyboard.press('ArrowUp');
  await said('curve');
  await page.waitForTimeout(200);
  assert.ok(!fake.said.some(({ type, curve }) => type === 'curve' && curve === 1));
  await page.click('#curve-copy');
  await said('curve', ({ curve }) => curve === 1);
  await page.waitForTimeout(200);
  near(value(1, 2, 0), value(0, 0, 0), 1e-3);
});

test('the keyboard moves, adds and removes points and steers nobody', async () => {
  const point = page.locator('[data-point="1"]');
  await point.focus();
  const before = value(0, 1, 0);
  for (let i = 0; i < 5; ++i) await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Shift+ArrowUp');
  await page.keyboard.press('ArrowRight');
  await page.waitForTimeout(300);
  near(value(0, 1, 0), before + 0.102, 0.002);
  near(fake.curves[0].cycle.times[1], 0.26, 0.001);
  assert.ok(!fake.said.some(({ type }) => type === 'command'));
  await page.keyboard.press('+');
  await until(() => document.querySelectorAll('.curve-plot .point').length === 5);
  await page.waitForTimeout(300);
  assert.equal(fake.curves[1].cycle.times.length, 5);
  await page.keyboard.press('Delete');
  await until(() => document.querySelectorAll('.curve-plot .point').length === 4);
  // Moves of one point in a row are one step back.
  for (let i = 0; i < 3; ++i) await page.keyboard.press('Control+z');
  await page.waitForTimeout(300);
  near(value(0, 1, 0), before, 1e-6);
  await page.keyboard.press('Control+Shift+z');
  await page.waitForTimeout(300);
  near(value(0, 1, 0), before + 0.102, 0.002);
});

test('a double click on the picture adds a point, the button takes it away', async () => {
  const [a, b] = [await middle(2), await middle(3)];
  await page.mouse.dblclick((a.x + b.x) / 2, (a.y + b.y) / 2 - 45);
  await until(() => document.querySelectorAll('.curve-plot .point').length === 5);
  await said('curve');
  near(fake.curves[0].cycle.times[3], 0.625);
  await page.click('#curve-remove');
  await until(() => document.querySelectorAll('.curve-plot .point').length === 4);
});

test('a finger drags a point', async () => {
  const from = await middle(1);
  const touch = (type, x, y) => page.locator('.curve-plot').dispatchEvent(type, {
    pointerId: 7, pointerType: 'touch', button: type === 'pointermove' ? -1 : 0, buttons: 1, isPrimary: true, clientX: x, clientY: y, bubbles: true,
  });
  await page.evaluate(() => (document.querySelector('.curve-plot').setPointerCapture = () => {})); // no real finger is there
  await touch('pointerdown', from.x + 8, from.y + 8); // a finger is not that exact
  await touch('pointermove', from.x + 8, from.y - 30);
  await touch('pointerup', from.x + 8, from.y - 30);
  await said('curve');
  await page.waitForTimeout(200);
  assert.ok(value(0, 1, 0) > 0.32, `${value(0, 1, 0)} rose from 0.3`);
});

test('what the program refuses is shown as the program has it', async () => {
  const was = await page.evaluate(() => stride.curves()[0].cycle.values[0]);
  fake.curves = structuredClone(fake.curves);
  const send = fake.sendCurves;
  fake.sendCurves = () => {}; // takes none
  await page.locator('[data-point="0"]').focus();
  await page.keyboard.press('ArrowUp');
  await until((x) => stride.curves()[0].cycle.values[0] !== x, was);
  await until((x) => stride.curves()[0].cycle.values[0] === x, was);
  fake.sendCurves = send;
});

test('on a phone the editor fits and its points can be reached', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.waitForTimeout(300);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  for (const id of ['curve', 'curve-add', 'curve-remove', 'curve-undo', 'curve-redo', 'curve-copy', 'curve-save', 'curve-load']) {
    await page.locator(`#${id}`).scrollIntoViewIfNeeded();
    const box = await page.locator(`#${id}`).boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 390, id);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
});
