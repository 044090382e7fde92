// The page against a stand-in (fake.mjs): what the real program shows rarely.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { openBrowser, openPage, root } from './browser.mjs';
import * as fakes from './fake.mjs';

const html = readFileSync(path.join(root, 'web/dist/index.html'), 'utf8');
const kPatience = 60_000; // ms
let browser, page, fake;

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
const until = (what, arg) => page.waitForFunction(what, arg, { timeout: kPatience });
const said = async (type) => {
  for (const start = Date.now(); Date.now() - start < kPatience;) {
    const message = fake.said.find((one) => one.type === type);
    if (message) return message;
    await page.waitForTimeout(50);
  }
  throw new Error(`the page never said ${type}: ${JSON.stringify(fake.said)}`);
};

test('a machine that is too slow is told so, in words', async () => {
  assert.ok(!(await page.locator('#banner').isVisible()));
  fake.tell({ late: true, realtime: 0.62 });
  await page.locator('#banner').waitFor({ state: 'visible' });
  assert.match(await page.textContent('#banner'), /cannot keep real time.*62 %/);
  fake.tell({ late: false, realtime: 1 });
  await page.locator('#banner').waitFor({ state: 'hidden' });
});

test('a fall is shown and said', async () => {
  fake.tell({ fell: true });
  await page.locator('#chip-fell').waitFor({ state: 'visible' });
  fake.send(fakes.jsonChunk('EVNT', { step: 1, time: 2.5, kind: 'fall', data: {} }));
  await until(() => document.getElementById('announce').textContent.includes('Fell after 2.5'));
});

test('a lost connection is said and made again', async () => {
  await fake.stop();
  await page.locator('#banner').waitFor({ state: 'visible' });
  assert.match(await page.textContent('#banner'), /Disconnected/);
  fake.dead = false;
  await page.locator('#banner').waitFor({ state: 'hidden' });
  const now = await page.evaluate(() => stride.framesReceived());
  await until((count) => stride.framesReceived() > count, now);
});

test('styles are offered, by click and key', async () => {
  assert.deepEqual(await page.locator('#styles button').allTextContents(), ['calm', 'proud', 'tired']);
  await page.click('#styles button:nth-child(3)');
  assert.equal((await said('command')).style, 2);
  fake.said.length = 0;
  await page.focus('#canvas');
  await page.keyboard.press('2');
  assert.equal((await said('command')).style, 1);
  await until(() => document.querySelector('#styles button:nth-child(2)').getAttribute('aria-checked') === 'true');
});

// The stand-in performs a graph from now on.
async function performGraph(change = {}) {
  fake.channels = [1, 0];
  fake.tell({ styles: fakes.graphRun.styles });
  fake.send(fakes.jsonChunk('HEAD', fakes.header({ ...fakes.graphRun, ...change })));
  await page.locator('#tab-graph').waitFor();
}

test('a graph is shown: its nodes, where the character is, and that it lies', async () => {
  assert.ok(!(await page.locator('#tab-graph').isVisible()), 'without a graph there is no panel of it');
  await performGraph();
  await page.click('#tab-graph');
  assert.deepEqual(await page.locator('#graph .node text:first-of-type').allTextContents(), ['stand', 'walk', '<b>kick</b>', 'get up']);
  assert.equal(await page.locator('#graph .link').count(), 5);
  assert.equal(await page.locator('#graph .link[stroke-dasharray="4 3"]').count(), 1);
  assert.deepEqual(await page.locator('#graph-styles button').allTextContents(), ['as told', 'anything']);
  await until(() => document.getElementById('graph-now').textContent === 'walk');
  assert.ok(await page.locator('#graph .node').nth(1).evaluate((node) => node.classList.contains('current')));
  assert.ok(!(await page.locator('#chip-lying').isVisible()));
  fake.channels = [3, 0.4];
  await page.locator('#graph-lying').waitFor();
  assert.ok(await page.locator('#chip-lying').isVisible());
  assert.equal(await page.locator('#graph .node.current').textContent(), 'get_up: not measuredget up');
  fake.channels = [0, 0];
  await page.locator('#graph-lying').waitFor({ state: 'hidden' });
  // Another run without one: the panel goes, the controls come.
  fake.channels = undefined;
  fake.send(fakes.jsonChunk('HEAD', fakes.header()));
  await page.locator('#tab-graph').waitFor({ state: 'hidden' });
  assert.ok(await page.locator('#pane-control').isVisible());
});

test('a double click on the ground sends it there', async () => {
  await page.mouse.dblclick(300, 560);
  const { point, heading } = await said('command');
  assert.equal(heading, null);
  assert.ok(point.length === 2 && point.every((x) => Number.isFinite(x) && Math.abs(x) < 40));
  assert.match(await page.locator('#heading-value').textContent(), /^to /);
  await page.click('#heading-free');
  await page.waitForFunction(() => document.getElementById('heading-value').textContent === 'free');
});

test('a click on a node asks for it, and the arrow keys steer at once', async () => {
  await performGraph();
  await page.click('#tab-graph');
  await page.locator('#graph .node').nth(2).click();
  assert.deepEqual(await said('command'), { type: 'command', actor: 0, speed: null, heading: null, style: 4, point: null });
  await page.locator('#graph .node.asked').waitFor();
  fake.said.length = 0;
  await page.keyboard.press('ArrowLeft');
  assert.ok(Math.abs((await said('command')).heading - Math.PI / 18) < 1e-6);
  fake.said.length = 0;
  await page.keyboard.press('ArrowUp');
  assert.equal((await said('command')).speed, 1.3);
  fake.said.length = 0;
  await page.locator('#graph .node').nth(3).click(); // rises: cannot be asked for
  await page.click('#graph-styles button:first-child');
  assert.equal((await said('command')).style, 0);
  fake.said.length = 0;
  await page.locator('#graph .node').nth(1).focus();
  await page.keyboard.press('Enter');
  assert.equal((await said('command')).style, 3);
});

test('what is no graph is not shown', async () => {
  const { graph } = fakes.graphRun;
  await performGraph();
  fake.send(fakes.jsonChunk('HEAD', fakes.header({ ...fakes.graphRun, graph: { ...graph, links: [{ from: 0, to: 9, robustness: 1 }] } })));
  await page.locator('#tab-graph').waitFor({ state: 'hidden' });
  const now = await page.evaluate(() => stride.framesReceived());
  await until((count) => stride.framesReceived() > count + 5, now);
});

test('a recording shows its graph, which cannot be asked', async () => {
  const parts = [fakes.preamble(), fakes.jsonChunk('HEAD', fakes.header(fakes.graphRun))];
  for (let t = 0; t < 2; t += 1 / 60) parts.push(fakes.frame(t, {}, t < 1 ? [0, 0] : [3, t - 0.9]));
  await drop('graph.stride', Buffer.concat([...parts, fakes.jsonChunk('DONE', {})]));
  await page.click('#tab-graph');
  await page.fill('#scrub', '0.5');
  await until(() => document.getElementById('graph-now').textContent === 'stand');
  await page.locator('#graph-lying').waitFor({ state: 'hidden' });
  await page.fill('#scrub', '1.5');
  await page.locator('#graph-lying').waitFor();
  fake.said.length = 0;
  await page.locator('#graph .node').nth(1).click({ force: true }); // it says that it is disabled
  assert.ok(!(await page.locator('#graph-styles').isVisible()));
  assert.deepEqual(fake.said, []);
});

test('a controller without motions is chosen without one', async () => {
  await page.selectOption('#controller', 'hold');
  assert.deepEqual(await said('setup'), { type: 'setup', controller: 'hold', motion: null });
});

test('what is refused is shown', async () => {
  fake.send(JSON.stringify({ type: 'refused', message: 'batch has one actor: no balls' }));
  await page.locator('.toast', { hasText: 'no balls' }).waitFor();
});

test('plots show the run and the channels of the controller', async () => {
  await page.click('#tab-plots');
  await until(() => document.querySelectorAll('.plot canvas').length === 7);
  await until(() => /m\/s/.test(document.querySelectorAll('.plot output')[1].textContent));
  const speed = parseFloat(await page.locator('.plot output').nth(1).textContent());
  assert.ok(Math.abs(speed - 1.2) < 0.01);
});

test('of two characters the plots show the one that is chosen', async () => {
  const two = Buffer.concat([
    fakes.preamble(), fakes.jsonChunk('HEAD', fakes.header({}, [{ skill: 'limp', channels: fakes.header().controllers[0].channels }])),
    ...Array.from({ length: 60 }, (_, i) => fakes.frame(i / 60, {}, undefined, 2)), fakes.jsonChunk('DONE', {}),
  ]);
  await page.click('#tab-plots');
  assert.ok(!(await page.locator('#plot-actor').isVisible()), 'one character: nothing to choose');
  await drop('two.stride', two);
  await until(() => stride.mode() === 'recording');
  const torque = async () => parseFloat(await page.locator('.plot', { hasText: 'Largest joint torque' }).locator('output').textContent());
  const shows = async (expected) => {
    for (const start = Date.now(); Date.now() - start < kPatience;) {
      if (Math.abs(await torque() - expected) < 0.05 * expected) return;
      await page.waitForTimeout(50);
    }
    assert.fail(`the torque is ${await torque()}, not ${expected}`);
  };
  assert.deepEqual(await page.locator('#plot-actor option').allTextContents(), ['1: figure, stroll', '2: figure, limp']);
  // The stand-in's largest is that of its last ball joint.
  const full = await page.evaluate(() => {
    const joints = stride.actors()[0].bodies.map((body) => body.joint.kind);
    const { torques } = stride.frame().controls[0];
    const size = { free: 6, ball: 3, hinge: 1 };
    const last = joints.lastIndexOf('ball');
    const at = joints.slice(0, last).reduce((sum, kind) => sum + size[kind], 0);
    return Math.hypot(...torques.slice(at, at + 3));
  });
  await shows(full);
  await page.selectOption('#plot-actor', '1');
  await shows(full / 2);
  assert.equal(await page.evaluate(() => stride.plotted()), 1);
  assert.equal(await page.evaluate(() => stride.selected()), 0);
});

test('plans of the controller have a legend', async () => {
  await page.click('#tab-view');
  assert.deepEqual(await page.locator('#legend li').allTextContents(), ['planned footstep', 'pendulum']);
});

test('a damaged frame is counted and does no harm', async () => {
  const bad = Buffer.from(fakes.frame(1));
  bad[40] ^= 1;
  fake.send(bad);
  await until(() => stride.framesUnreadable() === 1);
  const now = await page.evaluate(() => stride.framesReceived());
  await until((count) => stride.framesReceived() > count + 5, now);
});

for (const [kind, terrain] of [
  ['steps', { kind: 'steps', step_start: 1, step_depth: 0.3, step_rise: 0.1, step_count: 6 }],
  ['a height field', { kind: 'height_field', x0: -1, y0: -1, cell: 0.5, nx: 5, ny: 5, heights: Array.from({ length: 25 }, (_, i) => 0.05 * (i % 3)) }],
  ['a slope', { kind: 'plane', slope: 0.15, slope_heading: 0.5 }],
]) {
  test(`the ground becomes ${kind}`, async () => {
    fake.send(fakes.jsonChunk('EVNT', { step: 1, time: 0, kind: 'world', data: { friction: 0.9, terrain } }));
    const drawn = await page.evaluate(() => stride.drawn());
    await until((count) => stride.drawn() > count + 1, drawn);
  });
}

async function drop(name, bytes) {
  const data = await page.evaluateHandle(([file, content]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.from(content)], file));
    return transfer;
  }, [name, [...bytes]]);
  for (const type of ['dragover', 'drop']) await page.dispatchEvent('body', type, { dataTransfer: data });
}

test('a dropped recording plays; its fall is marked and shown in time', async () => {
  await drop('stroll.stride', fakes.recording(2));
  await until(() => stride.mode() === 'recording');
  assert.equal(await page.locator('#marks i').count(), 2);
  assert.match(await page.textContent('#recording-facts'), /stroll\.stride.*at 1\.60 s/);
  await page.fill('#scrub', '0.5');
  await page.locator('#chip-fell').waitFor({ state: 'hidden' });
  await page.fill('#scrub', '1.8');
  await page.locator('#chip-fell').waitFor({ state: 'visible' });
  await page.click('#back');
  await until(() => stride.mode() === 'live');
});

test('a recording that was cut opens and says so; other files are refused', async () => {
  const whole = fakes.recording(1);
  await drop('cut.stride', whole.subarray(0, whole.length - 5000));
  await until(() => stride.mode() === 'recording');
  await page.locator('.toast', { hasText: 'cut short' }).waitFor();
  await drop('walk.bvh', Buffer.from('HIERARCHY'));
  await page.locator('.toast', { hasText: 'walk.bvh is not a stride recording' }).waitFor();
});

test('dark and light follow the system, and the switch', async () => {
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  await page.emulateMedia({ colorScheme: 'dark' });
  await until(() => document.documentElement.dataset.theme === 'dark');
  await page.click('#theme');
  assert.equal(await theme(), 'light');
});
