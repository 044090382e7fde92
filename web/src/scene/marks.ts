import * as THREE from 'three';
import type { Channel, Vec3 } from '../schema';

// What is drawn beside the bodies: arrows, lines and points.

const kUp = new THREE.Vector3(0, 1, 0);
const direction = new THREE.Vector3();
const turn = new THREE.Quaternion();
const matrix = new THREE.Matrix4();
const scale = new THREE.Vector3();
const place = new THREE.Vector3();

function overlay(color: number, opacity = 1): THREE.MeshBasicMaterial {
  return new THREE.MeshBasicMaterial({
    color, transparent: true, opacity, depthTest: false, depthWrite: false, fog: false,
  });
}

// Arrows of one colour, in two draw calls.
export class Arrows {
  readonly group = new THREE.Group();
  private readonly shafts: THREE.InstancedMesh;
  private readonly tips: THREE.InstancedMesh;
  private count = 0;

  constructor(color: number, private readonly capacity: number, private readonly radius: number) {
    const material = overlay(color, 0.9);
    this.shafts = new THREE.InstancedMesh(
      new THREE.CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0), material, capacity);
    this.tips = new THREE.InstancedMesh(new THREE.ConeGeometry(1, 1, 12).translate(0, 0.5, 0), material, capacity);
    for (const mesh of [this.shafts, this.tips]) {
      mesh.frustumCulled = false;
      mesh.renderOrder = 5;
      this.group.add(mesh);
    }
    this.end();
  }

  begin() {
    this.count = 0;
  }

  add(from: ArrayLike<number>, vector: ArrayLike<number>) {
    const length = Math.hypot(vector[0], vector[1], vector[2]);
    if (this.count === this.capacity || !(length > 0.01)) return;
    const r = this.radius, tip = Math.min(5 * r, 0.6 * length);
    direction.set(vector[0], vector[1], vector[2]).divideScalar(length);
    turn.setFromUnitVectors(kUp, direction);
    place.set(from[0], from[1], from[2]);
    this.shafts.setMatrixAt(this.count, matrix.compose(place, turn, scale.set(r, length - tip, r)));
    place.addScaledVector(direction, length - tip);
    this.tips.setMatrixAt(this.count, matrix.compose(place, turn, scale.set(2.4 * r, tip, 2.4 * r)));
    ++this.count;
  }

  end() {
    for (const mesh of [this.shafts, this.tips]) {
      mesh.count = this.count;
      mesh.instanceMatrix.needsUpdate = true;
    }
  }
}

// A straight rod between two points.
export class Rod {
  readonly mesh: THREE.Mesh;

  constructor(color: number, private readonly radius: number) {
    this.mesh = new THREE.Mesh(new THREE.CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0), overlay(color, 0.9));
    this.mesh.renderOrder = 6;
    this.mesh.visible = false;
  }

  set(from: ArrayLike<number>, to: ArrayLike<number>) {
    direction.set(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
    const length = direction.length();
    this.mesh.visible = length > 1e-4;
    if (!this.mesh.visible) return;
    this.mesh.position.set(from[0], from[1], from[2]);
    this.mesh.quaternion.setFromUnitVectors(kUp, direction.divideScalar(length));
    this.mesh.scale.set(this.radius, length, this.radius);
  }

  hide() {
    this.mesh.visible = false;
  }
}

function dot(color: number, radius: number): THREE.Mesh {
  const mesh = new THREE.Mesh(new THREE.SphereGeometry(radius, 16, 12), overlay(color));
  mesh.renderOrder = 7;
  return mesh;
}

// The centre of mass, a plumb line, and where it meets the ground.
export class CentreOfMass {
  readonly group = new THREE.Group();
  private readonly ball = dot(0xd9467f, 0.035);
  private readonly line = new Rod(0xd9467f, 0.004);
  private readonly ring = new THREE.Mesh(new THREE.RingGeometry(0.05, 0.065, 32), overlay(0xd9467f));

  constructor() {
    this.ring.renderOrder = 4;
    this.group.add(this.ball, this.line.mesh, this.ring);
  }

  set(position: Vec3, ground: number) {
    this.ball.position.fromArray(position);
    this.ring.position.set(position[0], position[1], ground + 0.005);
    this.line.set(position, [position[0], position[1], ground]);
  }
}

// Colours of a controller's points and segments, in order.
export const kChannelColors = [0x0ea5a4, 0x8b5cf6, 0xe0a100, 0x3b82f6, 0xd6457a, 0x65a30d];
export const channelColor = (index: number) => kChannelColors[index % kChannelColors.length];

// What a controller thinks: points (planned footsteps, …) and segments (a pendulum, …).
export class ChannelMarks {
  readonly group = new THREE.Group();
  private marks: { at: number; values: number; ball: THREE.Mesh; rod: Rod }[] = [];

  setChannels(channels: Channel[]) {
    this.group.clear();
    this.marks = [];
    let at = 0, drawn = 0;
    for (const channel of channels) {
      if (channel.values > 1) {
        const color = channelColor(drawn++);
        const mark = { at, values: channel.values, ball: dot(color, 0.04), rod: new Rod(color, 0.012) };
        this.group.add(mark.ball, mark.rod.mesh);
        this.marks.push(mark);
      }
      at += channel.values;
    }
  }

  set(values: Float32Array) {
    for (const { at, values: count, ball, rod } of this.marks) {
      const end = at + count - 3;
      const known = Number.isFinite(values[at]) && Number.isFinite(values[end]);
      ball.visible = known;
      rod.hide();
      if (!known) continue;
      ball.position.set(values[end], values[end + 1], values[end + 2]);
      if (count === 6) rod.set(values.subarray(at, at + 3), values.subarray(end, end + 3));
    }
  }
}
