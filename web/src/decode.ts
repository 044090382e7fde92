import type { ActorState, Character, ContactForce, Frame, Header, PushForce, RunEvent, Vec3 } from './schema';
import { checkedGraph } from './graph';
import { layoutOf, type Layout } from './kinematics';

// The one decoder of chunks: for the live stream, for files, and for the recording inside a shared
// page. A chunk is 4 letters, the payload's length (u32), the payload, and a CRC-32 over all three.

const kMagic = 'STRIDEREC';
const kVersion = 1;
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

// What was decoded so far knows how long the next frame is: the header's actors and those that
// joined since.
export class Decoder {
  header: Header | null = null;
  actors: Character[] = [];
  layouts: Layout[] = [];
  private channelValues = 0;

  readHeader(payload: Uint8Array): Header {
    const header = parseJson(payload) as Header;
    header.graph = checkedGraph(header.graph, header.styles.length);
    this.header = header;
    this.actors = [...header.world.actors];
    this.layouts = this.actors.map(layoutOf);
    this.channelValues = header.channels.reduce((sum, channel) => sum + channel.values, 0);
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
    const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
    let at = 0;
    const doubles = (count: number) => {
      const values = new Float64Array(count);
      for (let i = 0; i < count; ++i, at += 8) values[i] = view.getFloat64(at, true);
      return values;
    };
    const u16 = () => view.getUint16((at += 2) - 2, true);
    const i16 = () => view.getInt16((at += 2) - 2, true);
    const f32 = () => view.getFloat32((at += 4) - 4, true);
    const vec3 = (): Vec3 => [f32(), f32(), f32()];
    try {
      const step = view.getUint32(0, true);
      const time = view.getFloat64(4, true);
      at = 12;
      const actorCount = u16();
      if (actorCount > this.actors.length) return null;
      const actors: ActorState[] = [];
      for (let i = 0; i < actorCount; ++i) {
        const { nq, nv } = this.layouts[i];
        actors.push({ q: doubles(nq), v: doubles(nv) });
      }
      const flags = view.getUint8(at++);
      const nq = this.layouts[0]?.nq ?? 0;
      const targetQ = flags & 1 ? doubles(nq) : null;
      const reference = flags & 2 ? doubles(nq) : null;
      const contacts: ContactForce[] = [];
      for (let i = u16(); i > 0; --i) {
        contacts.push({
          actor: i16(), body: i16(), otherActor: i16(), otherBody: i16(), position: vec3(), force: vec3(),
        });
      }
      const forces: PushForce[] = [];
      for (let i = u16(); i > 0; --i) {
        forces.push({ actor: i16(), body: i16(), position: vec3(), force: vec3() });
      }
      const speed = f32(), heading = f32(), style = i16();
      const channels = new Float32Array(this.channelValues);
      for (let i = 0; i < channels.length; ++i) channels[i] = f32();
      if (at !== payload.length) return null;
      return { step, time, actors, targetQ, reference, contacts, forces, speed, heading, style, channels };
    } catch (error) {
      if (error instanceof RangeError) return null; // shorter than it says
      throw error;
    }
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
      `${name} is of version ${version}; this page reads version ${kVersion}. Open it with a newer stride.`);
  }
  const decoder = new Decoder();
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
