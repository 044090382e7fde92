// The page against the real program, in a real browser: node viewer_test.mjs BINARY
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { openBrowser, openPage } from './browser.mjs';
import { startProgram } from './program.mjs';

const binary = process.env.STRIDE_BINARY;
const kPatience = 60_000; // ms; software WebGL on a busy machine is slow
const files = mkdtempSync(path.join(tmpdir(), 'stride-viewer-'));
let browser, program, page;

before(async () => {
  assert.ok(binary, 'STRIDE_BINARY names the program');
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  rmSync(files, { recursive: true });
});
beforeEach(async () => {
  program = await startProgram(binary);
  page = await openPage(browser.context);
  page.setDefaultTimeout(kPatience);
  await page.goto(program.address);
  await frames(20);
});
afterEach(async () => {
  const complaints = page.complaints;
  await page.close();
  await program.stop();
  assert.deepEqual(complaints, [], 'the console has no errors');
});

const until = (what, arg, target = page) => target.waitForFunction(what, arg, { timeout: kPatience });
const frames = async (count) => {
  const from = await page.evaluate(() => stride.framesReceived());
  await until((goal) => stride.framesReceived() >= goal, from + count);
};
const frame = () => page.evaluate(() => {
  const { step, time, actors, forces, controls } = stride.frame();
  return { step, time, q: [...actors[0].q], actors: actors.length, forces, ...controls[0] };
});
const focusCanvas = () => page.focus('#canvas');

async function save(trigger, name) {
  const [download] = await Promise.all([page.waitForEvent('download'), trigger()]);
  const file = path.join(files, name);
  await download.saveAs(file);
  return file;
}

async function record(milliseconds) {
  await page.click('#record');
  await until(() => stride.status().recording);
  await page.waitForTimeout(milliseconds);
  await page.click('#record');
  await until(() => !stride.status().recording && stride.status().downloadable);
}

const download = (kind, name) => save(async () => {
  await page.click('#download');
  await page.click(`[data-download=${kind}]`);
}, name);

test('loads, frames arrive and can be read, time goes on', async () => {
  const first = await frame();
  await frames(60);
  const second = await frame();
  assert.ok(second.time > first.time);
  assert.ok(second.q.every(Number.isFinite));
  assert.equal(await page.evaluate(() => stride.framesUnreadable()), 0);
  assert.ok(await page.evaluate(() => stride.drawn()) > 0, 'something was drawn');
  assert.match(await page.textContent('#chip-state'), /Live/);
  assert.ok(await page.locator('#character option').count() > 5);
});

test('a drag pushes the character', async () => {
  const trunk = await page.evaluate(() => stride.header().world.actors[0].roles.trunk);
  const from = await page.evaluate((body) => stride.screen(body), trunk);
  const before = await frame();
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  assert.ok(await page.evaluate(() => stride.dragging()), 'the press took hold of a body');
  // To the right of the picture is ahead. Looked for from the beginning: once the body has passed the
  // hand, the spring pulls back.
  const pulled = until((body) => stride.frame().forces
    .some((force) => force.actor === 0 && force.body === body && force.force[0] > 1), trunk);
  for (let i = 1; i <= 10; ++i) await page.mouse.move(from.x + 16 * i, from.y - 4 * i);
  await pulled;
  await until((x) => stride.frame().actors[0].q[0] > x + 0.05, before.q[0]);
  await page.mouse.up();
  await until(() => stride.frame().forces.length === 0);
});

test('a drag beside the character turns the camera and pushes nothing', async () => {
  const trunk = () => page.evaluate(() => stride.screen(0));
  const before = await trunk();
  await page.mouse.move(120, 300);
  await page.mouse.down();
  for (let i = 1; i <= 6; ++i) await page.mouse.move(120 + 30 * i, 300 + 15 * i);
  assert.equal(await page.evaluate(() => stride.dragging()), false);
  await page.mouse.up();
  await frames(10);
  assert.deepEqual((await frame()).forces, []);
  const after = await trunk();
  assert.ok(Math.hypot(after.x - before.x, after.y - before.y) > 0.5);
});

test('keys and sliders steer', async () => {
  assert.ok(await page.locator('#speed').isDisabled(), 'who holds a pose obeys no speed');
  await page.selectOption('#skill', 'live_walk');
  await until(() => stride.status().setup.skill === 'live_walk' && !document.getElementById('speed').disabled);
  await focusCanvas();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('a');
  await until(() => Math.abs(stride.status().command.heading - Math.PI / 9) < 1e-3);
  await until(() => Math.abs(stride.frame().controls[0].heading - Math.PI / 9) < 1e-3);
  await page.keyboard.press('ArrowRight');
  await until(() => Math.abs(stride.frame().controls[0].heading - Math.PI / 18) < 1e-3);
  await page.keyboard.press('w');
  await until(() => stride.status().command.speed > 0);
  await page.fill('#speed', '1.5');
  await until(() => Math.abs(stride.frame().controls[0].speed - 1.5) < 1e-3);
  await page.click('#speed-free');
  await until(() => stride.status().command.speed === null && Number.isNaN(stride.frame().controls[0].speed));
});

test('a learned walk is chosen, walks, and turns where it is steered', async () => {
  await page.selectOption('#skill', 'walk');
  await until(() => stride.status().setup.skill === 'walk' && stride.header().controllers[0].skill === 'walk');
  // Root's way and heading (q: position, quaternion) tell that it walks on +X, then turns left.
  await until(() => stride.frame()?.actors[0].q[0] > 1.5);
  await page.fill('#heading', '80');
  await until(() => {
    const [, , , w, x, y, z] = stride.frame().actors[0].q;
    return Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)) > 1;
  });
  // A double click on the ground: a point instead of a heading.
  await page.mouse.dblclick(300, 560);
  await until(() => stride.status().command.point !== null && stride.status().command.heading === null);
  await until(() => Number.isFinite(stride.frame().controls[0].heading));
  assert.equal(await page.evaluate(() => stride.status().fell), false);
});

test('of two characters the second is clicked and pushed', async () => {
  const others = path.join(files, 'others.json'), recording = path.join(files, 'two.stride');
  writeFileSync(others, '[{"x": 0.9, "y": 0.6}]');
  execFileSync(binary, ['simulate', '--others', others, '--seconds', '0.1', '--record', recording]);
  const two = await startProgram(binary, [recording]);
  try {
    await page.goto(two.address);
    await until(() => stride.mode() === 'recording');
    await page.click('#back');
    await until(() => stride.mode() === 'live' && stride.status().others.length === 1 && stride.drawn() > 5);
    const trunk = await page.evaluate(() => stride.header().world.actors[1].roles.trunk);
    const at = await page.evaluate((body) => stride.screen(body, 1), trunk);
    await page.mouse.click(at.x, at.y);
    await until(() => stride.selected() === 1);
    assert.equal(await page.evaluate(() => stride.plotted()), 1);
    await until(() => stride.frame().controls[1].torques !== null && Number.isFinite(stride.sample().poseError));
    // The camera goes over to whom is chosen: where the trunk is, once the picture rests.
    let from = await page.evaluate((body) => stride.screen(body, 1), trunk);
    for (let tries = 0, last = null; tries < 50 && !(last && Math.hypot(from.x - last.x, from.y - last.y) < 1); ++tries) {
      await page.waitForTimeout(200);
      [last, from] = [from, await page.evaluate((body) => stride.screen(body, 1), trunk)];
    }
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    const pulled = until(() => stride.frame().forces.some((force) => force.actor === 1));
    for (let i = 1; i <= 10; ++i) await page.mouse.move(from.x + 16 * i, from.y);
    await pulled;
    await page.mouse.up();
  } finally {
    await page.goto('about:blank');
    await two.stop();
  }
});

test('pause, single step, restart and slow motion', async () => {
  await focusCanvas();
  await page.keyboard.press(' ');
  await until(() => stride.status().paused);
  await page.waitForTimeout(200);
  const paused = await frame();
  await page.waitForTimeout(400);
  assert.equal((await frame()).step, paused.step, 'nothing moves in a pause');
  await page.keyboard.press('.');
  await until((step) => stride.frame().step === step + 1, paused.step);
  await page.click('#step');
  await until((step) => stride.frame().step === step + 2, paused.step);
  await page.keyboard.press(' ');
  await until((step) => stride.frame().step > step + 20, paused.step);
  const late = await frame();
  await page.keyboard.press('r');
  await until((time) => stride.frame()?.time < time, late.time);
  await page.fill('#rate', '2');
  await until(() => stride.status().rate === 0.25);
  assert.equal(await page.textContent('#rate-value'), '0.25×');
});

test('a ball is thrown, by key and by a click in throw mode', async () => {
  await focusCanvas();
  await page.keyboard.press('b');
  await until(() => stride.frame().actors.length === 2 && stride.actors().length === 2);
  await page.click('#aim');
  const at = await page.evaluate(() => stride.screen(0));
  await page.mouse.click(at.x, at.y);
  await until(() => stride.frame().actors.length >= 2 && stride.framesUnreadable() === 0);
});

test('ground and run can be changed', async () => {
  await page.fill('#slope', '5');
  await until(() => Math.abs(stride.status().setup.slope_deg - 5) < 1e-6);
  await page.fill('#friction', '0.4');
  await until(() => Math.abs(stride.status().setup.friction - 0.4) < 1e-6);
  await page.selectOption('#character', 'kwon17');
  await until(() => stride.header().world.actors[0].name === 'kwon17' && stride.frame()?.time >= 0);
  await page.selectOption('#controller', 'passive');
  await until(() => stride.status().setup.controller === 'passive');
  await page.selectOption('#engine', 'mujoco');
  await until(() => stride.status().setup.engine === 'mujoco');
  await frames(20);
  assert.equal(await page.evaluate(() => stride.framesUnreadable()), 0);
});

test('a character that the skill cannot drive is shown, and the skill goes', async () => {
  await page.selectOption('#skill', 'walk');
  await until(() => stride.header().controllers[0].skill === 'walk' && stride.frame()?.time > 0.1);
  await page.focus('#character');
  await page.selectOption('#character', 'biped');
  await until(() => stride.header().world.actors[0].name === 'biped' && stride.header().controllers[0].skill === '');
  await page.locator('.toast', { hasText: "skill of the body 'liu16'" }).waitFor();
  await until(() => document.getElementById('skill').value === '' && document.getElementById('character').value === 'biped');
  // What cannot be is taken back where it was chosen.
  await page.focus('#controller');
  await page.selectOption('#controller', 'data_driven');
  await page.locator('.toast.bad').waitFor();
  await until(() => document.getElementById('controller').value === 'hold');
});

test('a still hand pulls a walk to itself', async () => {
  await page.selectOption('#skill', 'walk');
  await until(() => stride.header().controllers[0].skill === 'walk' && stride.frame()?.time > 1);
  const at = await page.evaluate(() => stride.screen(stride.header().world.actors[0].roles.trunk));
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x + 60, at.y, { steps: 2 });
  await page.mouse.move(at.x + 120, at.y, { steps: 2 });
  // Newtons along the way to the hand, while that is some way.
  const pulls = await page.evaluate(async () => {
    const seen = [];
    let last = -1;
    for (const end = performance.now() + 20_000; seen.length < 15 && performance.now() < end;) {
      await new Promise(requestAnimationFrame);
      const { step, forces } = stride.frame();
      const { target } = stride.dragSpan();
      if (step === last || forces.length === 0) continue;
      last = step;
      const { position, force } = forces[0];
      const way = target.map((x, k) => x - position[k]), length = Math.hypot(...way);
      if (length > 0.1) seen.push(way.reduce((sum, x, k) => sum + (x * force[k]) / length, 0));
    }
    return seen;
  });
  await page.mouse.up();
  assert.ok(pulls.length >= 3 && pulls.every((x) => x > -1), `to the hand: ${pulls.map((x) => x.toFixed(0))} N`);
});

// The pose so many steps after the beginning, step by step.
async function poseAfter(steps) {
  await focusCanvas();
  await page.evaluate(() => (window.headerBefore = stride.header()));
  await page.keyboard.press('r');
  await until(() => stride.header() !== window.headerBefore && stride.frame()?.step === 0);
  for (let done = 0; done < steps; done += 20) {
    for (let i = 0; i < 20; ++i) await page.keyboard.press('.');
    await until((goal) => stride.frame()?.step === goal, done + 20);
  }
  return (await frame()).q;
}
const apart = (a, b) => Math.max(...a.map((x, k) => Math.abs(x - b[k])));

test('a control point dragged changes the gait; saved and loaded it is the same', async () => {
  const kSteps = 320;
  await page.selectOption('#skill', 'spline-biped');
  await page.locator('#tab-curves').waitFor({ state: 'visible' });
  await focusCanvas();
  await page.keyboard.press(' ');
  await until(() => stride.status().paused);
  const before = await poseAfter(kSteps);
  await page.click('#tab-curves');
  await page.selectOption('#curve', '0'); // a thigh
  const box = await page.locator('[data-point="1"] circle:not(.halo)').boundingBox();
  const x = box.x + box.width / 2, y = box.y + box.height / 2;
  const old = await page.evaluate(() => structuredClone(stride.curves()));
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let i = 1; i <= 5; ++i) await page.mouse.move(x, y - 8 * i);
  await page.mouse.up();
  await until(() => !document.getElementById('curve-undo').disabled);
  const edited = await page.evaluate(() => structuredClone(stride.curves()));
  assert.ok(Math.abs(edited[0].cycle.values[1] - old[0].cycle.values[1]) > 0.05, 'the point moved');
  assert.notDeepEqual(edited[edited[0].mirror], old[edited[0].mirror], 'and so did its mirror image');
  const changed = await poseAfter(kSteps);
  assert.ok(apart(before, changed) > 0.02, `the gait is another: ${apart(before, changed)} apart`);
  const file = await save(() => page.click('#curve-save'), 'mine.skill');
  await page.click('#tab-control');
  await page.selectOption('#skill', 'walk');
  await page.locator('#tab-curves').waitFor({ state: 'hidden' });
  await page.selectOption('#skill', 'spline-biped');
  await page.locator('#tab-curves').waitFor({ state: 'visible' });
  assert.equal(apart(before, await poseAfter(kSteps)), 0, 'the skill itself is as it was');
  await page.setInputFiles('#file', file);
  await until(() => stride.status().setup.skill?.endsWith('/mine.skill'));
  await until((goal) => JSON.stringify(stride.curves()) === goal, JSON.stringify(edited));
  assert.equal(apart(changed, await poseAfter(kSteps)), 0, 'the same gait, bit for bit');
});

test('a capture that is dropped onto the page is performed', async () => {
  const file = path.join(files, 'walk.bvh');
  execFileSync(binary, ['convert', 'walk', file]);
  const data = await page.evaluateHandle((text) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], 'my walk.bvh'));
    return transfer;
  }, readFileSync(file, 'utf8'));
  for (const type of ['dragover', 'drop']) await page.dispatchEvent('body', type, { dataTransfer: data });
  await until(() => stride.header().controllers[0].motion.endsWith('/my_walk.motion'));
  await until(() => stride.frame()?.actors[0].q[0] > 0.6);
  assert.equal(await page.evaluate(() => stride.mode()), 'live');
});

test('a recording downloads, opens again, and is scrubbed', async () => {
  await record(1500);
  const file = await download('recording', 'run.stride');
  assert.equal(readFileSync(file).subarray(0, 9).toString(), 'STRIDEREC');
  await page.setInputFiles('#file', file);
  await until(() => stride.mode() === 'recording');
  const facts = await page.evaluate(() => {
    const { start, end, recording } = stride.player();
    return { start, end, frames: recording.frames.length, complete: recording.complete };
  });
  assert.ok(facts.frames > 30 && facts.end - facts.start > 0.5 && facts.complete, JSON.stringify(facts));
  await page.fill('#scrub', '0.4');
  await until((time) => Math.abs(stride.frame().time - time) < 0.05, facts.start + 0.4);
  await page.focus('#canvas');
  await page.keyboard.press('.');
  await until((time) => stride.player().time > time, facts.start + 0.4);
  await page.keyboard.press(' ');
  await until(() => stride.player().playing);
  await page.click('#back');
  await until(() => stride.mode() === 'live');
  await frames(10);
});

test('BVH, GLB and CSV download', async () => {
  await record(800);
  assert.match(readFileSync(await download('bvh', 'run.bvh'), 'utf8'), /^HIERARCHY/);
  assert.equal(readFileSync(await download('glb', 'run.glb')).subarray(0, 4).toString(), 'glTF');
  assert.ok(readFileSync(await download('csv', 'run.csv'), 'utf8').split('\n').length > 20);
});

test('a shared page plays from a file, without the program, and can be shared again', async () => {
  await frames(60);
  const first = await save(() => page.click('#share'), 'shared.html');
  await program.stop();
  const play = async (file) => {
    const shared = await openPage(browser.context);
    await shared.goto(`file://${file}`);
    await until(() => stride.mode() === 'recording', null, shared);
    await until(() => stride.player().time > stride.player().start + 0.2, null, shared);
    const { count, complete } = await shared.evaluate(() => ({
      count: stride.player().recording.frames.length, q: stride.frame().actors[0].q[2],
    }));
    assert.ok(count > 40 && complete === undefined);
    return shared;
  };
  const shared = await play(first);
  const [again] = await Promise.all([shared.waitForEvent('download'), shared.click('#share')]);
  const second = path.join(files, 'again.html');
  await again.saveAs(second);
  assert.deepEqual(shared.complaints, []);
  await shared.close();
  assert.ok(Math.abs(statSync(second).size - statSync(first).size) < 2000, 'one recording inside, not two');
  const last = await play(second);
  assert.deepEqual(last.complaints, []);
  await last.close();
  page.complaints = page.complaints.filter((text) => !text.includes('ERR_CONNECTION_REFUSED'));
});

test('a built-in motion is watched, then another, then the simulation again', async () => {
  await page.selectOption('#watch', 'walk');
  await until(() => stride.mode() === 'recording' && stride.player().time > stride.player().start);
  const walk = await page.evaluate(() => stride.header().title + stride.header().controllers[0].motion);
  await page.selectOption('#watch', 'jump');
  await until((name) => stride.header().title + stride.header().controllers[0].motion !== name, walk);
  await page.click('#back');
  await until(() => stride.mode() === 'live');
  await frames(10);
});

test('at the width of a phone nothing sticks out and all can be reached', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await frames(10);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  for (const id of ['open', 'record', 'download', 'share', 'theme', 'help', 'play', 'step', 'restart', 'rate', 'throw', 'aim',
    'tab-control', 'tab-plots', 'tab-view', 'sheet']) {
    const box = await page.locator(`#${id}`).boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= 390 && box.y >= 0 && box.y + box.height <= 844, `${id} is on the screen`);
    const hit = await page.evaluate((name) => {
      const element = document.getElementById(name), b = element.getBoundingClientRect();
      return element.contains(document.elementFromPoint(b.x + b.width / 2, b.y + b.height / 2));
    }, id);
    assert.ok(hit, `${id} is not covered`);
  }
  await page.locator('#engine').scrollIntoViewIfNeeded();
  assert.ok(await page.locator('#engine').isVisible());
  const before = await page.locator('#canvas').boundingBox();
  await page.click('#sheet');
  await page.waitForTimeout(300);
  const after = await page.locator('#canvas').boundingBox();
  assert.ok(after.height > before.height + 100, 'the picture takes the place of the sheet');
  await page.setViewportSize({ width: 1280, height: 800 });
  await until(() => document.getElementById('canvas').getBoundingClientRect().width > 800);
});

test('the keyboard reaches every control, in order, and is not caught', async () => {
  const reached = new Set();
  await page.evaluate(() => document.activeElement.blur());
  for (let i = 0; i < 60; ++i) {
    await page.keyboard.press('Tab');
    const id = await page.evaluate(() => document.activeElement.id || document.activeElement.className);
    if (reached.size > 10 && id === 'skip') break;
    reached.add(id);
  }
  for (const id of ['skip', 'open', 'record', 'download', 'share', 'theme', 'help', 'canvas', 'play', 'step', 'restart', 'rate',
    'throw', 'aim', 'tab-control', 'speed', 'heading', 'slope', 'friction', 'character', 'controller', 'engine', 'watch']) {
    // What has nothing to do is disabled, and then not reached.
    if (await page.locator(`#${id}`).count() && await page.locator(`#${id}`).isDisabled()) continue;
    assert.ok(reached.has(id), `${id} is reached; reached: ${[...reached]}`);
  }
  await page.focus('#tab-control');
  await page.keyboard.press('ArrowRight');
  assert.ok(await page.locator('#pane-plots').isVisible());
  await page.focus('#canvas');
  await page.keyboard.press('?');
  assert.ok(await page.locator('#help-dialog').isVisible());
  await page.keyboard.press('Escape');
  assert.ok(!(await page.locator('#help-dialog').isVisible()));
  const unnamed = await page.evaluate(() => [...document.querySelectorAll('button, input, select')]
    .filter((element) => !element.hidden && element.type !== 'file')
    .filter((element) => !(element.getAttribute('aria-label') || element.textContent.trim() || element.labels?.[0]?.textContent.trim()))
    .map((element) => element.id));
  assert.deepEqual(unnamed, [], 'every control has a name');
});
