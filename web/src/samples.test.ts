import assert from 'node:assert/strict';
import test from 'node:test';
import { parseRecording } from './decode';
import { Samples } from './samples';
import * as fake from '../../tests/browser/fake.mjs';

const two = (driver = {}, channels?: number[]) => parseRecording(new Uint8Array(Buffer.concat([
  fake.preamble(), fake.jsonChunk('HEAD', fake.header(driver, [driver])),
  ...[0.1, 0.2].map((t) => fake.frame(t, { speed: 2 }, channels, 2)), fake.jsonChunk('DONE', {}),
])), 'two');

function plotsOf(recording: ReturnType<typeof two>, actor: number) {
  const samples = new Samples(recording.header, actor);
  recording.frames.forEach((frame) => samples.add(frame));
  return (key: string) => samples.values[samples.specs.findIndex((spec) => spec.key === key)];
}

test('each actor has numbers of its own', () => {
  const recording = two();
  const first = plotsOf(recording, 0), second = plotsOf(recording, 1);
  assert.deepEqual(first('speed')[1], [2, 2]);
  assert.ok(second('speed')[1].every(Number.isNaN), 'only the first was told a speed');
  assert.ok(first('torque')[0][0] > 10);
  assert.equal(second('torque')[0][0], first('torque')[0][0] / 2);
  assert.ok(first('force')[0][0] > 400);
  assert.equal(second('force')[0][0], 0); // the contact is the first one's
  assert.ok(Math.abs(first('error')[0][0] - second('error')[0][0]) < 1e-9);
});

test('the number of a node is not plotted, what has another unit is', () => {
  const samples = new Samples(two(fake.graphRun, [1, 0.5]).header, 0);
  const lines = samples.specs.flatMap((spec) => spec.series);
  assert.ok(!lines.includes('place'));
  assert.ok(lines.includes('down'));
});
