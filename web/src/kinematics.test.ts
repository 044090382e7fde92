import assert from 'node:assert/strict';
import test from 'node:test';
import { blend, centreOfMass, forward, layoutOf, makeFrames, poseErrorDeg } from './kinematics';
import type { ActorState, Body, Character } from './schema';

const body = (kind: Body['joint']['kind'], parent: number, offset: Body['offset'], axis: Body['offset'] = [0, 1, 0]): Body =>
  ({ name: kind, parent, offset, joint: { kind, axis }, mass: 1 + parent * 0.5 + 1, com: [0.1, -0.05, 0.2], shapes: [] });

// A root, a hinge, a ball below it, and a branch.
const character: Character = {
  name: 'test', roles: {}, rest_q: [],
  bodies: [
    body('free', -1, [0, 0, 1]), body('hinge', 0, [0, 0.1, -0.4]), body('ball', 1, [0.3, 0, -0.4]), body('hinge', 0, [0, 0, 0.5], [0, 0, 1]),
  ],
};
const layout = layoutOf(character);
const close = (a: ArrayLike<number>, b: ArrayLike<number>, tolerance = 1e-12) => {
  assert.equal(a.length, b.length);
  for (let i = 0; i < a.length; ++i) assert.ok(Math.abs(a[i] - b[i]) < tolerance, `${i}: ${a[i]} is not ${b[i]}`);
};

test('layout is that of character.h', () => {
  assert.deepEqual(layout, { q: [0, 7, 8, 12], v: [0, 6, 7, 10], nq: 13, nv: 11 });
});

test('a quarter turn of the knee brings the shank forward', () => {
  // About +Y, 90 degrees take -Z to -X and +X to -Z.
  const q = [1, 2, 3, 1, 0, 0, 0, Math.PI / 2, 1, 0, 0, 0, 0];
  const frames = forward(character, layout, q, makeFrames(character));
  close(frames.position.subarray(3, 6), [1, 2.1, 2.6]);
  close(frames.position.subarray(6, 9), [1 - 0.4, 2.1, 2.6 - 0.3]);
  close(frames.rotation.subarray(4, 8), [Math.SQRT1_2, 0, Math.SQRT1_2, 0]);
});

test('a turned root turns what hangs on it', () => {
  const q = [0, 0, 1, Math.SQRT1_2, 0, 0, Math.SQRT1_2, 0, 1, 0, 0, 0, 0]; // 90 degrees to the left
  const frames = forward(character, layout, q, makeFrames(character));
  close(frames.position.subarray(3, 6), [-0.1, 0, 0.6]);
  close(frames.position.subarray(6, 9), [-0.1, 0.3, 0.2]);
});

test('velocity of the centre of mass is the derivative of its position', () => {
  const unit = (w: number, x: number, y: number, z: number) => {
    const n = Math.hypot(w, x, y, z);
    return [w / n, x / n, y / n, z / n];
  };
  const q = Float64Array.from([0.3, -0.2, 1, ...unit(0.8, 0.3, -0.4, 0.2), 0.7, ...unit(0.6, -0.2, 0.5, 0.1), -0.4]);
  const v = Float64Array.from([1, -2, 0.5, 0.7, -0.3, 1.1, 2, -0.6, 0.9, 0.4, -1.5]);
  // q <- q * Exp(w h), as docs/conventions.md has it.
  const move = (h: number): ActorState => {
    const next = Float64Array.from(q);
    for (let k = 0; k < 3; ++k) next[k] += h * v[k];
    for (const [at, w] of [[3, 3], [8, 7]]) {
      const [x, y, z] = [v[w], v[w + 1], v[w + 2]];
      const angle = Math.hypot(x, y, z) * h, s = Math.sin(angle / 2) / Math.hypot(x, y, z), c = Math.cos(angle / 2);
      const [a, b, d, e] = q.subarray(at, at + 4);
      next.set([
        a * c - s * (b * x + d * y + e * z), b * c + s * (a * x + d * z - e * y),
        d * c + s * (a * y + e * x - b * z), e * c + s * (a * z + b * y - d * x),
      ], at);
    }
    next[7] += h * v[6];
    next[12] += h * v[10];
    return { q: next, v };
  };
  const com = (state: ActorState) =>
    centreOfMass(character, layout, state, forward(character, layout, state.q, makeFrames(character)));
  const h = 1e-5, before = com(move(-h)), after = com(move(h));
  const slope = after.position.map((x, k) => (x - before.position[k]) / (2 * h));
  close(com({ q, v }).velocity, slope, 1e-7);
});

// A cart on a rail, and a rod that slides out of what turns on it.
const slider: Character = {
  name: 'slider', roles: {}, rest_q: [],
  bodies: [body('slide', -1, [0, 0, 1], [1, 0, 0]), body('hinge', 0, [0, 0, 0]), body('slide', 1, [0, 0, -0.5], [0, 0, -1])],
};

test('slides move along their axis, turned with what they hang on', () => {
  const slides = layoutOf(slider);
  assert.deepEqual(slides, { q: [0, 1, 2], v: [0, 1, 2], nq: 3, nv: 3 });
  const frames = forward(slider, slides, [2, Math.PI / 2, 0.25], makeFrames(slider));
  close(frames.position.subarray(0, 6), [2, 0, 1, 2, 0, 1]);
  close(frames.position.subarray(6, 9), [2 - 0.75, 0, 1]);
  const q = [0.4, 0.7, 0.3], v = Float64Array.from([1.5, -2, 0.8]);
  const com = (h: number) => {
    const state = { q: Float64Array.from(q, (x, k) => x + h * v[k]), v };
    return centreOfMass(slider, slides, state, forward(slider, slides, state.q, makeFrames(slider)));
  };
  const h = 1e-5, before = com(-h), after = com(h);
  close(com(0).velocity, after.position.map((x, k) => (x - before.position[k]) / (2 * h)), 1e-7);
  close(blend(slider, slides, [0, 0, 0], q, 0.5), [0.2, 0.35, 0.15]);
});

test('blending goes the shorter way', () => {
  const a = [0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0];
  const b = [1, 0, 0, -Math.SQRT1_2, 0, 0, -Math.SQRT1_2, 1, 1, 0, 0, 0, 0];
  const q = blend(character, layout, a, b, 0.5);
  close(q.subarray(0, 8), [0.5, 0, 0, Math.cos(Math.PI / 8), 0, 0, Math.sin(Math.PI / 8), 0.5]);
});

test('pose error is a mean over joints and does not tell q from -q', () => {
  const a = [0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0];
  const b = [5, 5, 5, 0, 1, 0, 0, Math.PI / 2, -1, 0, 0, 0, 0];
  assert.ok(Math.abs(poseErrorDeg(character, layout, a, b) - 30) < 1e-9);
});
