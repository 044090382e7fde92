import { centreOfMass, forward, layoutOf, makeFrames, poseErrorDeg, totalMass, type BodyFrames, type Layout } from './kinematics';
import { kNodeUnit } from './schema';
import type { Character, Control, Frame, Header, Vec3 } from './schema';

// Numbers to plot, from frames.

export interface PlotSpec {
  key: string;
  title: string;
  unit: string;
  series: string[]; // names of the lines
  fromZero?: boolean; // the axis shows zero
}

interface ScalarChannel {
  name: string;
  unit: string;
  at: number; // in Control.channels
}

export interface Sample {
  com: Vec3;
  comVelocity: Vec3;
  groundForce: number; // N, all its ground contacts together
  poseError: number;   // degrees, to the reference or else to the servos' targets; NaN: neither
  torque: number;      // N m, the largest of a joint's servo; NaN: not known
}

// Measures one character in a frame.
export class Meter {
  readonly character: Character;
  readonly layout: Layout;
  readonly weight: number;
  private readonly frames: BodyFrames;

  constructor(header: Header, readonly actor = 0) {
    this.character = header.world.actors[actor];
    this.layout = layoutOf(this.character);
    this.frames = makeFrames(this.character);
    this.weight = totalMass(this.character) * header.world.gravity;
  }

  measure(frame: Frame): Sample {
    const state = frame.actors[this.actor];
    forward(this.character, this.layout, state.q, this.frames);
    const com = centreOfMass(this.character, this.layout, state, this.frames);
    const force: Vec3 = [0, 0, 0];
    for (const contact of frame.contacts) {
      if (contact.actor !== this.actor || contact.otherActor >= 0) continue;
      for (let k = 0; k < 3; ++k) force[k] += contact.force[k];
    }
    const control: Control | undefined = frame.controls[this.actor];
    const goal = control?.reference ?? control?.targetQ;
    return {
      com: com.position,
      comVelocity: com.velocity,
      groundForce: Math.hypot(...force),
      poseError: goal ? poseErrorDeg(this.character, this.layout, state.q, goal) : NaN,
      torque: control?.torques ? this.largestTorque(control.torques) : NaN,
    };
  }

  private largestTorque(torques: Float32Array): number {
    let largest = 0;
    this.character.bodies.forEach(({ joint }, i) => {
      const at = this.layout.v[i];
      if (joint.kind === 'hinge') largest = Math.max(largest, Math.abs(torques[at]));
      if (joint.kind === 'ball') largest = Math.max(largest, Math.hypot(torques[at], torques[at + 1], torques[at + 2]));
    });
    return largest;
  }
}

// The plots of a run and their numbers over time.
export class Samples {
  readonly specs: PlotSpec[];
  readonly times: number[] = [];
  readonly values: number[][][]; // by plot, by line, over time
  private readonly scalars: ScalarChannel[][] = []; // by plot after the fixed ones

  private readonly simulated: boolean;
  private readonly meter: Meter;

  constructor(header: Header, readonly actor: number) {
    const driver = header.controllers[actor];
    this.meter = new Meter(header, actor);
    this.simulated = driver !== undefined && driver.controller !== '';
    this.specs = [
      { key: 'height', title: 'Centre of mass height', unit: 'm', series: ['height'] },
      { key: 'speed', title: 'Centre of mass speed', unit: 'm/s', series: ['speed', 'commanded'], fromZero: true },
      { key: 'force', title: 'Ground force', unit: 'N', series: ['force', 'body weight'], fromZero: true },
      { key: 'error', title: 'Pose error', unit: '°', series: ['error'], fromZero: true },
      { key: 'torque', title: 'Largest joint torque', unit: 'N m', series: ['torque'], fromZero: true },
    ];
    // One plot a unit, so that channels that belong together share an axis; numbers without a unit belong to none.
    const byUnit = new Map<string, ScalarChannel[]>();
    let at = 0;
    for (const channel of driver?.channels ?? []) {
      // A node's number says nothing; the graph's panel shows it.
      if (channel.values === 1 && channel.unit !== kNodeUnit) {
        const key = channel.unit === '' ? `name ${channel.name}` : `unit ${channel.unit}`;
        const group = byUnit.get(key) ?? [];
        group.push({ name: channel.name, unit: channel.unit, at });
        byUnit.set(key, group);
      }
      at += channel.values;
    }
    for (const [key, channels] of byUnit) {
      this.scalars.push(channels);
      this.specs.push({
        key: `channels ${key}`,
        title: channels.length === 1 ? channels[0].name : 'Controller',
        unit: channels[0].unit,
        series: channels.map((channel) => channel.name),
      });
    }
    this.values = this.specs.map((spec) => spec.series.map(() => []));
  }

  add(frame: Frame) {
    const sample = this.meter.measure(frame);
    const control: Control | undefined = frame.controls[this.actor];
    this.times.push(frame.time);
    const fixed = [
      [sample.com[2]],
      [Math.hypot(sample.comVelocity[0], sample.comVelocity[1]), control?.speed ?? NaN],
      [this.simulated ? sample.groundForce : NaN, this.meter.weight],
      [sample.poseError],
      [sample.torque],
    ];
    fixed.forEach((numbers, plot) => numbers.forEach((x, line) => this.values[plot][line].push(x)));
    this.scalars.forEach((channels, plot) =>
      channels.forEach((channel, line) => this.values[fixed.length + plot][line].push(control!.channels[channel.at])));
  }

  // Drops what is older; in blocks.
  keep(seconds: number) {
    const now = this.times[this.times.length - 1];
    if (this.times.length === 0 || this.times[0] > now - 1.3 * seconds) return;
    const first = this.times.findIndex((time) => time >= now - seconds);
    this.times.splice(0, first);
    for (const plot of this.values) for (const line of plot) line.splice(0, first);
  }

  clear() {
    this.times.length = 0;
    for (const plot of this.values) for (const line of plot) line.length = 0;
  }
}
