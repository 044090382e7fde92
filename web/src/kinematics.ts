import type { ActorState, Character, Vec3 } from './schema';

// Body frames from coordinates, by the conventions of src/stride/character/character.h: in the zero
// pose all frames are aligned with the world; a joint is an offset and a rotation, or a way along
// its axis.

export interface Layout {
  q: number[]; // where a joint's numbers start
  v: number[];
  nq: number;
  nv: number;
}

export function layoutOf(character: Character): Layout {
  const layout: Layout = { q: [], v: [], nq: 0, nv: 0 };
  for (const body of character.bodies) {
    layout.q.push(layout.nq);
    layout.v.push(layout.nv);
    const kind = body.joint.kind;
    layout.nq += kind === 'free' ? 7 : kind === 'ball' ? 4 : 1;
    layout.nv += kind === 'free' ? 6 : kind === 'ball' ? 3 : 1;
  }
  return layout;
}

// Positions (3 a body) and rotations (w, x, y, z; 4 a body) in the world.
export interface BodyFrames {
  position: Float64Array;
  rotation: Float64Array;
}

export function makeFrames(character: Character): BodyFrames {
  const n = character.bodies.length;
  return { position: new Float64Array(3 * n), rotation: new Float64Array(4 * n) };
}

type Numbers = ArrayLike<number>;

// R(q[at..]) p
export function rotate(q: Numbers, at: number, p: Numbers, out: Vec3): Vec3 {
  const w = q[at], x = q[at + 1], y = q[at + 2], z = q[at + 3];
  const tx = 2 * (y * p[2] - z * p[1]);
  const ty = 2 * (z * p[0] - x * p[2]);
  const tz = 2 * (x * p[1] - y * p[0]);
  const px = p[0], py = p[1], pz = p[2];
  out[0] = px + w * tx + y * tz - z * ty;
  out[1] = py + w * ty + z * tx - x * tz;
  out[2] = pz + w * tz + x * ty - y * tx;
  return out;
}

function multiply(a: Numbers, ia: number, bw: number, bx: number, by: number, bz: number,
                  out: Float64Array, io: number) {
  const w = a[ia], x = a[ia + 1], y = a[ia + 2], z = a[ia + 3];
  out[io] = w * bw - x * bx - y * by - z * bz;
  out[io + 1] = w * bx + x * bw + y * bz - z * by;
  out[io + 2] = w * by - x * bz + y * bw + z * bx;
  out[io + 3] = w * bz + x * by - y * bx + z * bw;
}

const kIdentity = [1, 0, 0, 0];
const scratch: Vec3 = [0, 0, 0], place: Vec3 = [0, 0, 0];

export function forward(character: Character, layout: Layout, q: Numbers, out: BodyFrames): BodyFrames {
  const { position, rotation } = out;
  for (let i = 0; i < character.bodies.length; ++i) {
    const { parent, offset, joint } = character.bodies[i];
    const at = layout.q[i];
    const root = parent < 0;
    if (joint.kind === 'free') {
      for (let k = 0; k < 3; ++k) position[3 * i + k] = q[at + k];
      for (let k = 0; k < 4; ++k) rotation[4 * i + k] = q[at + 3 + k];
      continue;
    }
    const slide = joint.kind === 'slide';
    const way = slide ? q[at] : 0;
    for (let k = 0; k < 3; ++k) place[k] = offset[k] + way * joint.axis[k];
    rotate(root ? kIdentity : rotation, root ? 0 : 4 * parent, place, scratch);
    for (let k = 0; k < 3; ++k) position[3 * i + k] = scratch[k] + (root ? 0 : position[3 * parent + k]);
    const above = root ? kIdentity : rotation;
    const from = root ? 0 : 4 * parent;
    if (joint.kind === 'ball') {
      multiply(above, from, q[at], q[at + 1], q[at + 2], q[at + 3], rotation, 4 * i);
    } else {
      const angle = slide ? 0 : q[at], s = Math.sin(angle / 2);
      multiply(above, from, Math.cos(angle / 2), s * joint.axis[0], s * joint.axis[1], s * joint.axis[2],
        rotation, 4 * i);
    }
  }
  return out;
}

export function totalMass(character: Character): number {
  return character.bodies.reduce((sum, body) => sum + body.mass, 0);
}

// Centre of mass and its velocity, world.
export function centreOfMass(character: Character, layout: Layout, state: ActorState, frames: BodyFrames):
    { position: Vec3; velocity: Vec3 } {
  const n = character.bodies.length;
  const linear = new Float64Array(3 * n), angular = new Float64Array(3 * n);
  const position: Vec3 = [0, 0, 0], velocity: Vec3 = [0, 0, 0];
  const local: Vec3 = [0, 0, 0], turned: Vec3 = [0, 0, 0], arm: Vec3 = [0, 0, 0];
  let mass = 0;
  for (let i = 0; i < n; ++i) {
    const body = character.bodies[i];
    const { v } = state, at = layout.v[i], parent = body.parent;
    if (body.joint.kind === 'free') {
      for (let k = 0; k < 3; ++k) linear[3 * i + k] = v[at + k];
      for (let k = 0; k < 3; ++k) local[k] = v[at + 3 + k];
    } else {
      if (parent >= 0) {
        for (let k = 0; k < 3; ++k) {
          arm[k] = frames.position[3 * i + k] - frames.position[3 * parent + k];
          angular[3 * i + k] = angular[3 * parent + k];
        }
        const w = 3 * parent;
        linear[3 * i] = linear[w] + angular[w + 1] * arm[2] - angular[w + 2] * arm[1];
        linear[3 * i + 1] = linear[w + 1] + angular[w + 2] * arm[0] - angular[w] * arm[2];
        linear[3 * i + 2] = linear[w + 2] + angular[w] * arm[1] - angular[w + 1] * arm[0];
      }
      for (let k = 0; k < 3; ++k) local[k] = body.joint.kind === 'ball' ? v[at + k] : v[at] * body.joint.axis[k];
      if (body.joint.kind === 'slide') {
        rotate(frames.rotation, 4 * i, local, turned);
        for (let k = 0; k < 3; ++k) linear[3 * i + k] += turned[k];
        local.fill(0);
      }
    }
    rotate(frames.rotation, 4 * i, local, turned);
    for (let k = 0; k < 3; ++k) angular[3 * i + k] += turned[k];
    rotate(frames.rotation, 4 * i, body.com, arm);
    const w = 3 * i;
    mass += body.mass;
    for (let k = 0; k < 3; ++k) position[k] += body.mass * (frames.position[w + k] + arm[k]);
    velocity[0] += body.mass * (linear[w] + angular[w + 1] * arm[2] - angular[w + 2] * arm[1]);
    velocity[1] += body.mass * (linear[w + 1] + angular[w + 2] * arm[0] - angular[w] * arm[2]);
    velocity[2] += body.mass * (linear[w + 2] + angular[w] * arm[1] - angular[w + 1] * arm[0]);
  }
  if (mass > 0) {
    for (let k = 0; k < 3; ++k) {
      position[k] /= mass;
      velocity[k] /= mass;
    }
  }
  return { position, velocity };
}

// Between two sets of coordinates: numbers straight, quaternions along the shorter way.
export function blend(character: Character, layout: Layout, a: Numbers, b: Numbers, share: number): Float64Array {
  const q = new Float64Array(layout.nq);
  for (let i = 0; i < q.length; ++i) q[i] = a[i] + share * (b[i] - a[i]);
  for (let i = 0; i < character.bodies.length; ++i) {
    const kind = character.bodies[i].joint.kind;
    if (kind === 'hinge' || kind === 'slide') continue;
    const at = layout.q[i] + (kind === 'free' ? 3 : 0);
    let dot = 0;
    for (let k = at; k < at + 4; ++k) dot += a[k] * b[k];
    let norm = 0;
    for (let k = at; k < at + 4; ++k) {
      q[k] = (1 - share) * a[k] + (dot < 0 ? -share : share) * b[k];
      norm += q[k] * q[k];
    }
    norm = Math.sqrt(norm) || 1;
    for (let k = at; k < at + 4; ++k) q[k] /= norm;
  }
  return q;
}

// Mean over joints that turn (not a free root) of the angle between two poses, degrees.
export function poseErrorDeg(character: Character, layout: Layout, a: Numbers, b: Numbers): number {
  let sum = 0, count = 0;
  for (let i = 0; i < character.bodies.length; ++i) {
    const kind = character.bodies[i].joint.kind;
    if (kind === 'free' || kind === 'slide') continue;
    const at = layout.q[i];
    if (kind === 'hinge') {
      sum += Math.abs(a[at] - b[at]);
    } else {
      let dot = 0;
      for (let k = at; k < at + 4; ++k) dot += a[k] * b[k];
      sum += 2 * Math.acos(Math.min(1, Math.abs(dot)));
    }
    ++count;
  }
  return count > 0 ? (sum / count) * (180 / Math.PI) : NaN;
}

// Where a character faces, from its free root's quaternion: rad from +X towards +Y. Others face +X.
export function headingOf(character: Character, q: Float64Array): number {
  if (character.bodies[0].joint.kind !== 'free') return 0;
  const [w, x, y, z] = q.subarray(3, 7);
  return Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
}
