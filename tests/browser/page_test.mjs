// The page against a stand-in (fake.mjs): what the real program shows rarely.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fakes from './fake.mjs';
import { drop, fake, kPatience, page, said, until } from './fake_page.mjs';

test('a machine that is too slow is told so, in words', async () => {
  assert.ok(!(await page.locator('#banner').isVisible()));
  fake.tell({ late: true, realtime: 0.62 });
  await page.locator('#banner').waitFor({ state: 'visible' });
  assert.match(await page.textContent('#banner'), /cannot keep real time.*62 %/);
  fake.tell({ late: false, realtime: 1 });
  await page.locator('#banner').waitFor({ state: 'hidden' });
});

test('a fall is shown until it is up again, and said', async () => {
  fake.tell({ fell: true, falls: 1 });
  await page.locator('#chip-fell').waitFor({ state: 'visible' });
  fake.tell({ fell: false });
  await page.locator('#chip-fell').waitFor({ state: 'hidden' });
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

test('in a recording too a fall is shown until it is up again', async () => {
  const parts = [fakes.preamble(), fakes.jsonChunk('HEAD', fakes.header())];
  for (let t = 0; t <= 3; t += 1 / 60) parts.push(fakes.frame(t));
  for (const [time, kind] of [[1, 'fall'], [2, 'up']]) parts.push(fakes.jsonChunk('EVNT', { step: 200 * time, time, kind, data: { actor: 0 } }));
  await drop('up.stride', Buffer.concat([...parts, fakes.jsonChunk('DONE', {})]));
  await until(() => stride.mode() === 'recording');
  await page.fill('#scrub', '1.5');
  await page.locator('#chip-fell').waitFor({ state: 'visible' });
  await page.fill('#scrub', '2.5');
  await page.locator('#chip-fell').waitFor({ state: 'hidden' });
});

test('a choice that is refused is taken back where it was made', async () => {
  await page.focus('#character');
  await page.selectOption('#character', 'biped');
  assert.equal((await said('setup')).character, 'biped');
  fake.send(JSON.stringify({ type: 'refused', message: 'biped has no pelvis' }));
  fake.tell({});
  await until(() => document.getElementById('character').value === 'figure');
});

test('what the controller does not obey cannot be set, and keys say so', async () => {
  fake.tell({ obeys: { speed: false, heading: false } });
  await until(() => document.getElementById('speed').disabled && document.getElementById('heading').disabled);
  assert.equal(await page.textContent('#speed-value'), 'not obeyed');
  await page.focus('#canvas');
  await page.keyboard.press('w');
  await page.locator('.toast', { hasText: 'stroll takes no speed' }).waitFor();
  await page.mouse.dblclick(300, 560);
  await page.locator('.toast', { hasText: 'stroll takes no heading' }).waitFor();
  assert.ok(!fake.said.some(({ type }) => type === 'command'));
  fake.tell({ obeys: { speed: true, heading: false } });
  await until(() => !document.getElementById('speed').disabled);
  assert.ok(await page.locator('#heading').isDisabled());
});

test('the slope can be set of a plane only', async () => {
  assert.ok(await page.locator('#slope').isEnabled());
  const terrain = { kind: 'steps', step_start: 1, step_depth: 0.3, step_rise: 0.1, step_count: 6 };
  fake.send(fakes.jsonChunk('EVNT', { step: 1, time: 0, kind: 'world', data: { friction: 0.9, terrain } }));
  await until(() => document.getElementById('slope').disabled);
});

test('Escape closes the menu, also where it has nothing to choose', async () => {
  for (const downloadable of [false, true]) {
    fake.tell({ downloadable });
    await until((on) => stride.status().downloadable === on, downloadable);
    await page.click('#download');
    await page.locator('#download-menu').waitFor({ state: 'visible' });
    await page.keyboard.press('Escape');
    await page.locator('#download-menu').waitFor({ state: 'hidden' });
    assert.equal(await page.evaluate(() => document.activeElement.id), 'download');
  }
});

test('numbers of different units, or without any, have axes of their own', async () => {
  const channels = [['phase', ''], ['sensor', ''], ['left', 'rad'], ['right', 'rad'], ['lead', 's']].map(([name, unit]) => ({ name, unit, values: 1 }));
  fake.channels = [0.5, 40, 0.1, 0.2, 3];
  fake.send(fakes.jsonChunk('HEAD', fakes.header({ channels })));
  await page.click('#tab-plots');
  await until(() => document.querySelectorAll('.plot').length === 9);
  const titles = await page.locator('.plot header b').allTextContents();
  assert.deepEqual(titles.slice(5), ['phase', 'sensor', 'Controller', 'lead']);
});

test('a motion is not called a recording', async () => {
  const parts = [fakes.preamble(), fakes.jsonChunk('HEAD', fakes.header({ controller: '', channels: [] }))];
  for (let t = 0; t <= 1; t += 1 / 60) parts.push(fakes.frame(t, {}, []));
  await drop('walk.stride', Buffer.concat([...parts, fakes.jsonChunk('DONE', {})]));
  await until(() => stride.mode() === 'recording');
  assert.equal(await page.textContent('#chip-state'), 'Motion');
  assert.equal(await page.textContent('#recording-title'), 'Motion');
});

test('a drag with the right button moves the picture, which goes on following', async () => {
  const place = () => page.evaluate(() => stride.screen(1));
  fake.tell({ paused: true });
  await page.waitForTimeout(200);
  const before = await place();
  await page.mouse.move(200, 300);
  await page.mouse.down({ button: 'right' });
  await page.mouse.move(260, 330, { steps: 5 });
  await page.mouse.up({ button: 'right' });
  await page.waitForTimeout(100);
  const moved = await place();
  assert.ok(moved.x - before.x > 30 && moved.y - before.y > 15, JSON.stringify([before, moved]));
  fake.tell({ paused: false });
  const { time } = await page.evaluate(() => stride.frame());
  await until((t) => stride.frame().time > t + 1, time); // 1.2 m on
  const later = await place();
  assert.ok(Math.abs(later.x - moved.x) < 25, `${later.x} is where it was left, ${moved.x}`);
  await page.click('#tab-view');
  await page.click('#reset-view');
  await until((x) => Math.abs(stride.screen(1).x - x) < 25, before.x);
});

test('the ghost leaves the picture of the body as it is', async () => {
  fake.tell({ paused: true });
  await page.waitForTimeout(300);
  const colours = () => page.evaluate(async () => {
    // In the picture that is drawn next, before the browser clears it.
    const { x, y } = stride.screen(1);
    const canvas = document.getElementById('canvas'), box = canvas.getBoundingClientRect();
    const drawn = await stride.picture();
    const context = drawn.getContext('2d');
    const at = (px, py) => [...context.getImageData(((px - box.left) * drawn.width) / box.width, ((py - box.top) * drawn.height) / box.height, 1, 1).data];
    let ghost = 0;
    const all = context.getImageData(0, 0, drawn.width, drawn.height).data;
    for (let i = 0; i < all.length; i += 4) if (all[i + 2] > all[i + 1] + 60 && all[i] > all[i + 1] + 15) ++ghost;
    return { body: at(x, y), ghost };
  });
  const on = await colours();
  await page.focus('#canvas');
  const drawn = await page.evaluate(() => stride.drawn());
  await page.keyboard.press('g');
  await until((count) => stride.drawn() > count, drawn);
  const off = await colours();
  assert.deepEqual(on.body, off.body, 'the middle of the trunk');
  assert.ok(on.ghost > off.ghost + 50, `an outline is there: ${on.ghost} and ${off.ghost} violet points`);
});

test('a newcomer is told the keys, until they were seen', async () => {
  const hint = page.locator('#hint');
  assert.ok(await hint.isVisible());
  const keys = await hint.locator('kbd').allTextContents();
  for (const key of ['W', 'A', 'S', 'D', 'Space', '?']) assert.ok(keys.includes(key), `${key} among ${keys}`);
  await page.focus('#canvas');
  await page.keyboard.press('d');
  assert.ok(await hint.isVisible(), 'one key at once does not take it away');
  await page.click('#hint-close');
  await hint.waitFor({ state: 'hidden' });
});

test('a dropped capture or skill is sent to be performed; a refusal is shown', async () => {
  fake.tell({ takes_files: true });
  await until(() => stride.status().takes_files);
  await drop('my walk.bvh', Buffer.from('HIERARCHY'));
  await page.locator('.toast', { hasText: 'my walk.bvh is performed' }).waitFor();
  assert.equal(fake.posted[0].body, 'HIERARCHY');
  assert.match(fake.posted[0].url, /\/perform\?name=my_walk\.bvh$/);
  fake.answer = { status: 422, body: 'walk.skill: no valid JSON' };
  await drop('walk.skill', Buffer.from('{'));
  await page.locator('.toast', { hasText: 'no valid JSON' }).waitFor();
  page.complaints = page.complaints.filter((text) => !text.includes('422'));
  await drop('stroll.stride', fakes.recording(1));
  await until(() => stride.mode() === 'recording');
  assert.equal(fake.posted.length, 2, 'a recording is played here');
});
