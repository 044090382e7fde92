import { preamble } from './decode';

// The chunks of the last seconds of a live run, as they came: a recording that can be shared without
// having pressed record.
export class Recent {
  private head: Uint8Array | null = null;
  // Frames in order; events stand before the frame that followed them, and stay when it goes, since
  // later frames need the actors that joined.
  private frames: { time: number; bytes: Uint8Array }[] = [];
  private events: { time: number; bytes: Uint8Array }[] = [];

  constructor(private readonly seconds: number) {}

  begin(head: Uint8Array) {
    this.head = head;
    this.frames = [];
    this.events = [];
  }

  addFrame(time: number, bytes: Uint8Array) {
    this.frames.push({ time, bytes });
    // In blocks, so that moving the array is rare.
    if (this.frames[0].time < time - 1.2 * this.seconds) {
      const first = this.frames.findIndex((frame) => frame.time >= time - this.seconds);
      this.frames.splice(0, first);
    }
  }

  addEvent(time: number, bytes: Uint8Array) {
    this.events.push({ time, bytes });
  }

  get duration(): number {
    return this.frames.length > 1 ? this.frames[this.frames.length - 1].time - this.frames[0].time : 0;
  }

  // Null where nothing was received yet.
  recording(): Uint8Array | null {
    if (!this.head || this.frames.length === 0) return null;
    const parts = [preamble(), this.head];
    let next = 0;
    for (const frame of this.frames) {
      while (next < this.events.length && this.events[next].time <= frame.time) {
        parts.push(this.events[next++].bytes);
      }
      parts.push(frame.bytes);
    }
    const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  }
}
