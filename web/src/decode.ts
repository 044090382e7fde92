import { kNodeUnit } from './schema';
import type { ActorState, Character, ContactForce, Control, Driver, Frame, Header, PushForce, RunEvent, Vec3 } from './schema';
import { checkedGraph } from './graph';
import { layoutOf, type Layout } from './kinematics';

// The one decoder of chunks: for the live stream, for files, and for the recording inside a shared
// page. A chunk is 4 letters, the payload's length (u32), the payload, and a CRC-32 over all three.

const kMagic = 'STRIDEREC';
const kVersion = 2;
const kPreambleBytes = kMagic.length + 4;

const crcTable = (() => {
  const table = new Uint32Array(256);
  for (let i = 0; i < 256; ++i) {
    let c = i;
    for (let k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    table[i] = c;
  }
  return table;
})();

export function crc32(bytes: Uint8Array): number {
  let c = 0xffffffff;
  for (let i = 0; i < bytes.length; ++i) c = crcTable[(c ^ bytes[i]) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

export interface Chunk {
  type: string;
  payload: Uint8Array;
  end: number; // offset of what follows
}

// The chunk at an offset, or null where there is no whole and undamaged one.
export function readChunk(bytes: Uint8Array, offset: number): Chunk | null {
  if (offset + 12 > bytes.length) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getUint32(offset + 4, true);
  const end = offset + 12 + length;
  if (end > bytes.length) return null;
  if (crc32(bytes.subarray(offset, end - 4)) !== view.getUint32(end - 4, true)) return null;
  return {
    type: String.fromCharCode(...bytes.subarray(offset, offset + 4)),
    payload: bytes.subarray(offset + 8, end - 4),
    end,
  };
}

function parseJson(payload: Uint8Array): unknown {
  return JSON.parse(new TextDecoder().decode(payload));
}

// Version 1 knew the first actor's controller only, among the header's own keys, and by their names
// the channels that are about its graph.
function driverOfVersion1(header: Driver): Driver {
  const { controller, motion, channels, styles, graph } = header;
  for (const channel of channels) {
    if (channel.name === 'node' || channel.name === 'from node') channel.unit = kNodeUnit;
  }
  const named = graph && { ...graph, node_channel: 'node', down_channel: 'lying' };
  return { controller, motion, skill: '', channels, styles, graph: named };
}

// The numbers of a payload, one after the other. Beyond its end a RangeError is thrown.
class Numbers {
  at = 0;
  private readonly view: DataView;

  constructor(payload: Uint8Array) {
    this.view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  }

  u8 = () => this.view.getUint8(this.at++);
  u16 = () => this.view.getUint16((this.at += 2) - 2, true);
  i16 = () => this.view.getInt16((this.at += 2) - 2, true);
  u32 = () => this.view.getUint32((this.at += 4) - 4, true);
  f32 = () => this.view.getFloat32((this.at += 4) - 4, true);
  f64 = () => this.view.getFloat64((this.at += 8) - 8, true);
  vec3 = (): Vec3 => [this.f32(), this.f32(), this.f32()];

  doubles(count: number): Float64Array {
    const values = new Float64Array(count);
    for (let i = 0; i < count; ++i) values[i] = this.f64();
    return values;
  }

  floats(count: number): Float32Array {
    const values = new Float32Array(count);
    for (let i = 0; i < count; ++i) values[i] = this.f32();
    return values;
  }
}

// What was decoded so far knows how long the next frame is: the header's actors and those that
// joined since.
export class Decoder {
  header: Header | null = null;
  actors: Character[] = [];
  layouts: Layout[] = [];
  private channelValues: number[] = []; // of each controller

  constructor(private readonly version = kVersion) {}

  readHeader(payload: Uint8Array): Header {
    const header = parseJson(payload) as Header;
    if (this.version === 1) header.controllers = [driverOfVersion1(header as unknown as Driver)];
    for (const driver of header.controllers) driver.graph = checkedGraph(driver.graph, driver.styles.length);
    this.header = header;
    this.actors = [...header.world.actors];
    this.layouts = this.actors.map(layoutOf);
    this.channelValues = header.controllers.map((driver) =>
      driver.channels.reduce((sum, channel) => sum + channel.values, 0));
    return header;
  }

  readEvent(payload: Uint8Array): RunEvent {
    const event = parseJson(payload) as RunEvent;
    if (event.kind === 'actor') {
      const character = event.data.character as Character;
      this.actors.push(character);
      this.layouts.push(layoutOf(character));
    }
    return event;
  }

  // Null where the payload does not fit the actors there are.
  readFrame(payload: Uint8Array): Frame | null {
    const from = new Numbers(payload);
    try {
      const step = from.u32(), time = from.f64(), actorCount = from.u16();
      if (actorCount > this.actors.length || actorCount < this.channelValues.length) return null;
      const actors: ActorState[] = [];
      for (let i = 0; i < actorCount; ++i) {
        const { nq, nv } = this.layouts[i];
        actors.push({ q: from.doubles(nq), v: from.doubles(nv) });
      }
      const old = this.version === 1;
      const controls = this.channelValues.map((_, actor) => {
        const control = this.readDrive(from, actor);
        return old ? control : this.readCommand(from, actor, control);
      });
      const contacts: ContactForce[] = [];
      for (let i = from.u16(); i > 0; --i) {
        contacts.push({
          actor: from.i16(), body: from.i16(), otherActor: from.i16(), otherBody: from.i16(),
          position: from.vec3(), force: from.vec3(),
        });
      }
      const forces: PushForce[] = [];
      for (let i = from.u16(); i > 0; --i) {
        forces.push({ actor: from.i16(), body: from.i16(), position: from.vec3(), force: from.vec3() });
      }
      if (old) this.readCommand(from, 0, controls[0]);
      return from.at === payload.length ? { step, time, actors, controls, contacts, forces } : null;
    } catch (error) {
      if (error instanceof RangeError) return null; // shorter than it says
      throw error;
    }
  }

  private readDrive(from: Numbers, actor: number): Control {
    const { nq, nv } = this.layouts[actor];
    const flags = from.u8();
    return {
      targetQ: flags & 1 ? from.doubles(nq) : null,
      reference: flags & 2 ? from.doubles(nq) : null,
      torques: flags & 4 ? from.floats(nv) : null,
      speed: NaN, heading: NaN, style: 0, channels: new Float32Array(0),
    };
  }

  private readCommand(from: Numbers, actor: number, control: Control): Control {
    control.speed = from.f32();
    control.heading = from.f32();
    control.style = from.i16();
    control.channels = from.floats(this.channelValues[actor]);
    return control;
  }
}

export interface Recording {
  name: string;
  bytes: Uint8Array;
  header: Header;
  actors: Character[]; // those that joined later included
  frames: Frame[];
  events: RunEvent[];
  complete: boolean; // ends as it should; otherwise it was cut, and what is there is good
}

export class RecordingError extends Error {}

// Everything up to the first damaged chunk, as the program does.
export function parseRecording(bytes: Uint8Array, name: string): Recording {
  const magic = String.fromCharCode(...bytes.subarray(0, kMagic.length));
  if (magic !== kMagic || bytes.length < kPreambleBytes) {
    throw new RecordingError(`${name} is not a stride recording (expected a file that begins with ${kMagic}).`);
  }
  const version = new DataView(bytes.buffer, bytes.byteOffset).getUint32(kMagic.length, true);
  if (version > kVersion) {
    throw new RecordingError(
      `${name} is of version ${version}; this page reads up to version ${kVersion}. Open it with a newer stride.`);
  }
  const decoder = new Decoder(version);
  const frames: Frame[] = [];
  const events: RunEvent[] = [];
  let complete = false;
  for (let at = kPreambleBytes; at < bytes.length;) {
    const chunk = readChunk(bytes, at);
    if (!chunk) break;
    at = chunk.end;
    if (chunk.type === 'HEAD') {
      if (decoder.header) break;
      decoder.readHeader(chunk.payload);
    } else if (!decoder.header) {
      break;
    } else if (chunk.type === 'FRAM') {
      const frame = decoder.readFrame(chunk.payload);
      if (!frame) break;
      frames.push(frame);
    } else if (chunk.type === 'EVNT') {
      events.push(decoder.readEvent(chunk.payload));
    } else if (chunk.type === 'DONE') {
      complete = true;
      break;
    }
  }
  if (!decoder.header) throw new RecordingError(`${name} ends before its header: nothing can be shown.`);
  if (frames.length === 0) throw new RecordingError(`${name} has no whole frame.`);
  return { name, bytes, header: decoder.header, actors: decoder.actors, frames, events, complete };
}

export function preamble(): Uint8Array {
  const bytes = new Uint8Array(kPreambleBytes);
  for (let i = 0; i < kMagic.length; ++i) bytes[i] = kMagic.charCodeAt(i);
  new DataView(bytes.buffer).setUint32(kMagic.length, kVersion, true);
  return bytes;
}
