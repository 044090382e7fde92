import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addPoint, before, canMirror, gapBeside, History, movePoint, pointsOf, removePoint, valueAt, withMirror, type ControlCurve,
} from './curves';

function curve(change: Partial<ControlCurve> = {}): ControlCurve {
  return {
    name: 'thigh', unit: 'rad', low: -1, high: 1, rest: 0.1, mirror: 1, mirror_sign: 1, mirror_shift: 0.5, mirror_reverses: false,
    sensor: '', layers: [], seconds: { blend_in: 0.5, cycle: 1, blend_out: 1 },
    blend_in: { times: [0.5], values: [0.2] },
    cycle: { times: [0, 0.25, 0.5, 0.75], values: [0, 0.4, 0, -0.4] },
    blend_out: { times: [], values: [] },
    ...change,
  };
}
const near = (a: number, b: number, within = 1e-9) => assert.ok(Math.abs(a - b) <= within, `${a} is not ${b}`);

test('a cycle goes through its points and around', () => {
  const one = curve();
  one.cycle.times.forEach((time, k) => near(valueAt(one, 'cycle', 0, time), one.cycle.values[k]));
  // By hand: from (0, 0) to (0.25, 0.4), tangents 1.6 and 0; in the middle 0.2 + 0.25 (1.6 / 8).
  near(valueAt(one, 'cycle', 0, 0.125), 0.25);
  near(valueAt(one, 'cycle', 0, 1), valueAt(one, 'cycle', 0, 0));
  near(valueAt(curve({ cycle: { times: [0.3], values: [0.7] } }), 'cycle', 0, 0.9), 0.7);
});

test('a blend goes from rest into the cycle without a jump in speed, and back', () => {
  const one = curve();
  near(valueAt(one, 'blend_in', 0, 0), 0.1);
  near(valueAt(one, 'blend_in', 0, 0.5), 0.2);
  near(valueAt(one, 'blend_in', 0, 1), 0);
  const h = 1e-5;
  const rate = (valueAt(one, 'blend_in', 0, 1) - valueAt(one, 'blend_in', 0, 1 - h)) / (h * 0.5);
  near(rate, 1.6, 1e-2); // as the cycle begins
  near(valueAt(one, 'blend_out', 0, 1), 0.1);
});

test('a moved point stays between its neighbours and within its range', () => {
  const one = curve();
  const moved = movePoint(one, 'cycle', 1, 0, 0.9, 5);
  near(moved.times[1], 0.49);
  assert.equal(moved.values[1], 1);
  assert.deepEqual(one.cycle.values, [0, 0.4, 0, -0.4], 'the curve itself is not touched');
  near(movePoint(one, 'cycle', 0, 0, -1, 0).times[0], 0);
  near(movePoint(one, 'blend_in', 0, 0, -1, 0).times[0], 0.01);
});

test('of a surface one layer is moved', () => {
  const surface = curve({ sensor: 'inclination', layers: [-0.4, 0, 0.4], cycle: { times: [0, 0.5], values: [1, 2, 3, 4, 5, 6].map((x) => x / 10) } });
  assert.deepEqual(pointsOf(surface, 'cycle')[1].values, [0.2, 0.4, 0.6]);
  assert.deepEqual(movePoint(surface, 'cycle', 1, 2, 0.6, 0.9), { times: [0, 0.6], values: [0.1, 0.2, 0.3, 0.4, 0.5, 0.9] });
});

test('points are added on the curve and taken away', () => {
  const one = curve();
  const added = addPoint(one, 'cycle', 0.1)!;
  assert.equal(added.index, 1);
  near(added.points.values[1], valueAt(one, 'cycle', 0, 0.1), 1e-4);
  assert.equal(addPoint(one, 'cycle', 0.251), null, 'too near');
  const full = curve({ cycle: { times: Array.from({ length: 24 }, (_, k) => k / 24), values: Array(24).fill(0) } });
  assert.equal(addPoint(full, 'cycle', 0.02), null, 'no more than 24');
  assert.deepEqual(removePoint(one, 'cycle', 3)!.times, [0, 0.25, 0.5]);
  assert.equal(removePoint(curve({ cycle: { times: [0], values: [0] } }), 'cycle', 0), null);
  assert.deepEqual(removePoint(one, 'blend_in', 0), { times: [], values: [] });
});

test('a gap is found beside a point', () => {
  const uneven = curve({ cycle: { times: [0, 0.1, 0.5, 0.9], values: [0, 0, 0, 0] } });
  near(gapBeside(uneven, 'cycle', 1), 0.3);
  near(gapBeside(uneven, 'cycle', 0), 0.05);
  near(gapBeside(uneven, 'cycle', 3), 0.7);
  near(gapBeside(curve(), 'blend_out', null), 0.5);
});

test('the other side follows half a cycle later', () => {
  const pair = [curve(), curve({ mirror: 0, rest: -0.1, mirror_sign: -1 })];
  pair[0].mirror_sign = -1;
  const points = movePoint(pair[0], 'cycle', 1, 0, 0.3, 0.6);
  const edits = withMirror(pair, { curve: 0, part: 'cycle', points }, 0.3);
  assert.equal(edits.length, 2);
  assert.equal(edits[1].curve, 1);
  assert.deepEqual(edits[1].points.times, [0, 0.25, 0.5, 0.8]);
  // its rest + sign (value - rest)
  edits[1].points.values.forEach((value, k) => near(value, -0.1 - ([0, -0.4, 0, 0.6][k] - 0.1), 1e-4));
  assert.ok(!canMirror(pair, 0, 'blend_in'), 'sides that alternate have blends of their own');
});

test('what stands in the middle is its own image', () => {
  const spine = [curve({ mirror: 0, mirror_sign: -1, rest: 0 })];
  const points = movePoint(spine[0], 'cycle', 1, 0, 0.25, 0.8);
  const [edit] = withMirror(spine, { curve: 0, part: 'cycle', points }, 0.25);
  assert.deepEqual(edit.points, { times: [0, 0.25, 0.5, 0.75], values: [0, 0.8, 0, -0.8] });
  const stiff = [curve({ mirror: 0, mirror_sign: -1, mirror_shift: 0 })];
  assert.ok(!canMirror(stiff, 0, 'cycle'), 'it could only stay at rest');
});

test('layers of an odd sensor change places in the mirror', () => {
  const surface = { sensor: 'roll', layers: [-0.3, 0, 0.3], mirror_reverses: true, cycle: { times: [0], values: [0.1, 0.2, 0.3] }, rest: 0 };
  const pair = [curve(surface), curve({ ...surface, mirror: 0 })];
  const [, other] = withMirror(pair, { curve: 0, part: 'cycle', points: pair[0].cycle }, 0);
  assert.deepEqual(other.points, { times: [0.5], values: [0.3, 0.2, 0.1] });
});

test('changes are undone and done again; those of one key in a row at once', () => {
  const curves = [curve()], history = new History();
  const edit = (value: number) => [{ curve: 0, part: 'cycle' as const, points: movePoint(curves[0], 'cycle', 0, 0, 0, value) }];
  const apply = (edits: { points: ControlCurve['cycle'] }[]) => edits.forEach(({ points }) => (curves[0].cycle = points));
  for (const [value, key] of [[0.1, 'k'], [0.2, 'k'], [0.3, '']] as const) {
    const after = edit(value);
    history.add({ before: before(curves, after), after }, key);
    apply(after);
  }
  apply(history.undo());
  assert.equal(curves[0].cycle.values[0], 0.2);
  apply(history.undo());
  assert.equal(curves[0].cycle.values[0], 0);
  assert.ok(!history.canUndo && history.canRedo);
  assert.deepEqual(history.undo(), []);
  apply(history.redo());
  assert.equal(curves[0].cycle.values[0], 0.2);
  apply(history.redo());
  assert.equal(curves[0].cycle.values[0], 0.3);
  assert.ok(!history.canRedo);
});
