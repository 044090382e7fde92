import assert from 'node:assert/strict';
import test from 'node:test';
import { crc32, Decoder, parseRecording, readChunk, RecordingError } from './decode';
// The stand-in of the browser tests writes chunks with code of its own.
import * as fake from '../../tests/browser/fake.mjs';

const bytes = new Uint8Array(fake.recording(0.1));

test('CRC-32 of the check string', () => {
  assert.equal(crc32(new TextEncoder().encode('123456789')), 0xcbf43926);
});

test('a whole recording', () => {
  const recording = parseRecording(bytes, 'a');
  assert.equal(recording.frames.length, 7);
  assert.equal(recording.events.length, 2);
  assert.ok(recording.complete);
  const frame = recording.frames[3];
  assert.ok(Math.abs(frame.time - 0.05) < 1e-12);
  assert.equal(frame.step, 10);
  assert.ok(Math.abs(frame.actors[0].q[0] - 1.2 * 0.05) < 1e-5);
  assert.equal(frame.actors[0].v[0], 1.2);
  const [control] = frame.controls;
  assert.equal(frame.controls.length, 1);
  assert.equal(control.targetQ, null);
  assert.ok(Math.abs(control.reference![0] - 1.2 * 0.11) < 1e-12);
  assert.equal(control.torques![6], 6);
  assert.equal(frame.contacts[0].otherActor, -1);
  assert.equal(frame.contacts[0].body, 10);
  assert.ok(Number.isNaN(control.speed));
  assert.equal(control.channels.length, 12);
  assert.ok(Math.abs(control.channels[11] - 1) < 1e-6);
});

test('every driven actor has a control of its own', () => {
  const decoder = new Decoder();
  const payload = (chunk: Uint8Array) => readChunk(new Uint8Array(chunk), 0)!.payload;
  decoder.readHeader(payload(fake.jsonChunk('HEAD', fake.header({}, [{ controller: 'limp' }]))));
  const frame = decoder.readFrame(payload(fake.frame(0.5, { speed: 2, style: 1 }, undefined, 2)))!;
  assert.equal(frame.controls.length, 2);
  assert.equal(frame.controls[0].speed, 2);
  assert.equal(frame.controls[0].style, 1);
  assert.ok(Number.isNaN(frame.controls[1].speed));
  assert.equal(frame.controls[1].torques![8], 4);
  assert.equal(frame.controls[1].reference![1], 1);
  assert.equal(frame.contacts.length, 1);
  // A frame without the second.
  assert.equal(decoder.readFrame(payload(fake.frame(0.5))), null);
});

test('a recording of version 1 is read', () => {
  const graph = { ...fake.graphRun.graph } as Record<string, unknown>;
  delete graph.node_channel;
  delete graph.down_channel;
  const channels = [{ name: 'node', unit: '', values: 1 }, { name: 'lying', unit: 's', values: 1 }];
  const head = fake.headerOfVersion1({ styles: fake.graphRun.styles, channels, graph });
  const old = new Uint8Array(Buffer.concat([
    fake.preamble(1), fake.jsonChunk('HEAD', head), fake.frame(0.1, { heading: 0.5 }, [3, 0.25], 1, 1), fake.jsonChunk('DONE', {}),
  ]));
  const { header, frames, complete } = parseRecording(old, 'old');
  assert.ok(complete);
  assert.equal(header.controllers.length, 1);
  const [driver] = header.controllers;
  assert.equal(driver.controller, 'stroll');
  assert.equal(driver.channels[0].unit, 'node');
  assert.equal(driver.graph!.node_channel, 'node');
  assert.equal(driver.graph!.down_channel, 'lying');
  const [control] = frames[0].controls;
  assert.equal(control.torques, null);
  assert.equal(control.heading, 0.5);
  assert.deepEqual([...control.channels], [3, 0.25]);
  assert.equal(frames[0].contacts.length, 1);
});

test('cut at any byte it opens up to the last whole frame', () => {
  const whole = parseRecording(bytes, 'a');
  let least = 0;
  for (let length = bytes.length - 1; length > 0; --length) {
    try {
      const cut = parseRecording(bytes.subarray(0, length), 'cut');
      assert.ok(!cut.complete);
      assert.deepEqual(cut.frames, whole.frames.slice(0, cut.frames.length));
      least = cut.frames.length;
    } catch (error) {
      assert.ok(error instanceof RecordingError, String(error));
    }
  }
  assert.equal(least, 1);
});

test('a damaged byte ends the recording there', () => {
  const damaged = bytes.slice();
  damaged[damaged.length - 600] ^= 0x40;
  const recording = parseRecording(damaged, 'damaged');
  assert.ok(!recording.complete);
  assert.ok(recording.frames.length < 7);
});

test('what is no recording, or a newer one, is refused with a reason', () => {
  assert.throws(() => parseRecording(new TextEncoder().encode('HIERARCHY\nROOT hips'), 'a.bvh'), /a\.bvh is not a stride recording/);
  const newer = bytes.slice();
  newer[9] = 3;
  assert.throws(() => parseRecording(newer, 'b'), /version 3; this page reads up to version 2/);
});

test('a frame follows the actors that joined', () => {
  const decoder = new Decoder();
  const payload = (chunk: Uint8Array) => readChunk(new Uint8Array(chunk), 0)!.payload;
  decoder.readHeader(payload(fake.jsonChunk('HEAD', fake.header())));
  const frame = payload(fake.frame(0.5));
  const joined = frame.slice();
  joined[12] = 2; // two actors: longer than it is
  assert.equal(decoder.readFrame(joined), null);
  const ball = { name: 'ball', bodies: [{ name: 'ball', parent: -1, offset: [0, 0, 0], joint: { kind: 'free', axis: [0, 1, 0] }, mass: 1, com: [0, 0, 0], shapes: [] }], roles: {}, rest_q: [] };
  decoder.readEvent(payload(fake.jsonChunk('EVNT', { step: 1, time: 0, kind: 'actor', data: { character: ball } })));
  const { nq, nv } = decoder.layouts[0];
  const at = 14 + 8 * (nq + nv);
  const longer = new Uint8Array(frame.length + 8 * 13);
  longer.set(frame.subarray(0, at));
  longer[12] = 2;
  longer.set(frame.subarray(at), at + 8 * 13);
  const read = decoder.readFrame(longer);
  assert.equal(read?.actors.length, 2);
  assert.equal(read!.actors[1].q.length, 7);
  assert.deepEqual(read!.contacts, decoder.readFrame(frame)!.contacts);
});
