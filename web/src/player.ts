import type { Recording } from './decode';
import { blend, layoutOf, type Layout } from './kinematics';
import type { Frame } from './schema';

// Plays a recording: a clock over its frames.
export class Player {
  time: number; // s, on the recording's own clock
  playing = true;
  rate = 1;
  loop: boolean;
  readonly start: number;
  readonly end: number;
  private readonly layouts: Layout[];

  constructor(readonly recording: Recording) {
    const { frames } = recording;
    this.start = frames[0].time;
    this.end = frames[frames.length - 1].time;
    this.time = this.start;
    this.layouts = recording.actors.map(layoutOf);
    this.loop = !recording.header.controllers[0]?.controller; // a motion goes on; a run has an end
  }

  // After `seconds` of wall time. Returns whether the picture changes.
  advance(seconds: number): boolean {
    if (!this.playing) return false;
    this.time += seconds * this.rate;
    if (this.time >= this.end) {
      if (this.loop && this.end > this.start) {
        this.time = this.start + ((this.time - this.start) % (this.end - this.start));
      } else {
        this.time = this.end;
        this.playing = false;
      }
    }
    return true;
  }

  toggle() {
    if (!this.playing && this.time >= this.end) this.time = this.start;
    this.playing = !this.playing;
  }

  seek(time: number) {
    this.time = Math.min(this.end, Math.max(this.start, time));
  }

  step(frames: number) {
    this.playing = false;
    const last = this.recording.frames.length - 1;
    const next = Math.min(last, Math.max(0, this.index() + frames));
    this.time = this.recording.frames[next].time;
  }

  // The last frame at or before the present time.
  index(): number {
    const { frames } = this.recording;
    let low = 0, high = frames.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (frames[middle].time <= this.time + 1e-9) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  // The frame at the present time; poses between two frames are blended, all else is of the first.
  frame(): Frame {
    const { frames, actors } = this.recording;
    const i = this.index();
    const now = frames[i], next = frames[i + 1];
    if (!next) return now;
    const share = (this.time - now.time) / (next.time - now.time);
    if (!(share > 0.001) || next.actors.length !== now.actors.length) return now;
    const between = (actor: number, a: Float64Array, b: Float64Array) =>
      blend(actors[actor], this.layouts[actor], a, b, share);
    return {
      ...now,
      time: this.time,
      actors: now.actors.map((state, k) => ({ q: between(k, state.q, next.actors[k].q), v: state.v })),
      controls: now.controls.map((control, k) => {
        const here = control.reference, there = next.controls[k].reference;
        return here && there ? { ...control, reference: between(k, here, there) } : control;
      }),
    };
  }
}
