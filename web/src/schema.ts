// What the record schema says (docs/recordings.md): the header of a run, its frames and its events.

export type Vec3 = [number, number, number];

export interface Joint {
  kind: 'free' | 'ball' | 'hinge' | 'slide';
  axis: Vec3;
}

export interface Shape {
  kind: 'sphere' | 'capsule' | 'box';
  center: Vec3;
  rotation: [number, number, number, number]; // w, x, y, z
  size: Vec3;
}

export interface Body {
  name: string;
  parent: number;
  offset: Vec3;
  joint: Joint;
  mass: number;
  com: Vec3;
  shapes: Shape[];
}

export interface Character {
  name: string;
  description?: string;
  bodies: Body[];
  roles: Record<string, number>;
  rest_q: number[];
}

export interface Terrain {
  kind: string; // plane, height_field, steps
  slope?: number;
  slope_heading?: number;
  x0?: number;
  y0?: number;
  cell?: number;
  nx?: number;
  ny?: number;
  heights?: number[];
  step_start?: number;
  step_depth?: number;
  step_rise?: number;
  step_count?: number;
}

export interface Channel {
  name: string;
  unit: string;
  values: number; // 1 scalar, 3 point, 6 segment
}

// What a controller can do and what may follow what.
export interface Graph {
  nodes: { name: string; style: number; robustness: number | null }[]; // style 0: none asks for it
  links: { from: number; to: number; robustness: number | null }[];
  node_channel: string; // the scalar channel that is the index of the node it is in; '': none
  down_channel: string; // the one that is above 0 while it lies; '': none
}

// Unit of a scalar channel that is the index of a node.
export const kNodeUnit = 'node';

// Who drives an actor.
export interface Driver {
  controller: string; // '': nothing was simulated, it is a motion
  motion: string;
  skill: string;
  channels: Channel[];
  styles: string[];
  graph: Graph | null;
}

export interface Header {
  title: string;
  engine: string;
  frame_interval: number;
  controllers: Driver[]; // of actors 0, 1, ...; those after are not driven
  world: {
    terrain: Terrain;
    friction: number;
    gravity: number;
    time_step: number;
    actors: Character[];
  };
}

export interface RunEvent {
  step: number;
  time: number;
  kind: string;
  data: Record<string, unknown>;
}

export interface ContactForce {
  actor: number;
  body: number;
  otherActor: number; // -1: the ground
  otherBody: number;
  position: Vec3;
  force: Vec3;
}

export interface PushForce {
  actor: number;
  body: number;
  position: Vec3;
  force: Vec3;
}

export interface ActorState {
  q: Float64Array;
  v: Float64Array;
}

// What drove an actor in a step.
export interface Control {
  targetQ: Float64Array | null;
  reference: Float64Array | null;
  torques: Float32Array | null; // of the servos, N m, as the velocities are laid out
  speed: number; // NaN: not commanded
  heading: number;
  style: number;
  channels: Float32Array;
}

export interface Frame {
  step: number;
  time: number;
  actors: ActorState[];
  controls: Control[]; // one for each of the header's controllers
  contacts: ContactForce[];
  forces: PushForce[];
}
