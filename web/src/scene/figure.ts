import * as THREE from 'three';
import { forward, layoutOf, makeFrames, type BodyFrames, type Layout } from '../kinematics';
import type { Character, Shape } from '../schema';

// A character or a thing in the scene. Left limbs are blue, right ones orange, the rest grey: the
// colours of draw/render.h.

const kTrunk = 0xccccd1;
const kHead = 0xe6ccb8;
const kLeft = 0x6199e6;
const kRight = 0xf29e57;
const kThing = 0xe2b93b;
const kGhost = 0x9a7bdc;

const kOutline = 0.014; // m

// A ghost is an outline around all of its shapes together, in front of everything, so that it neither hides
// the character nor cuts through it: first its inside is marked, then slightly larger shapes are drawn beside it.
const kInside = new THREE.MeshBasicMaterial({
  colorWrite: false, depthWrite: false, depthTest: false, transparent: true,
  stencilWrite: true, stencilRef: 1, stencilZPass: THREE.ReplaceStencilOp,
});
const kAround = new THREE.MeshBasicMaterial({
  color: kGhost, depthWrite: false, depthTest: false, transparent: true,
  stencilWrite: true, stencilRef: 1, stencilFunc: THREE.NotEqualStencilFunc,
});

function colorOf(character: Character, body: number): number {
  const { roles } = character;
  for (let i = body; i >= 0; i = character.bodies[i].parent) {
    if (i === roles.left_thigh || i === roles.left_upper_arm) return kLeft;
    if (i === roles.right_thigh || i === roles.right_upper_arm) return kRight;
  }
  return body === roles.head ? kHead : kTrunk;
}

// `larger`: on every side, m.
function geometryOf(shape: Shape, larger = 0): THREE.BufferGeometry {
  const [x, y, z] = shape.size;
  if (shape.kind === 'sphere') return new THREE.SphereGeometry(x + larger, 24, 16);
  if (shape.kind === 'box') return new THREE.BoxGeometry(2 * (x + larger), 2 * (y + larger), 2 * (z + larger));
  return new THREE.CapsuleGeometry(x + larger, 2 * y, 8, 20).rotateX(Math.PI / 2); // three's lie along y
}

export interface BodyTag {
  actor: number;
  body: number;
}

export class Figure {
  readonly group = new THREE.Group();
  readonly layout: Layout;
  readonly frames: BodyFrames;
  readonly meshes: THREE.Mesh[] = [];
  private readonly outlines: THREE.Mesh[] = [];
  private readonly bodies: THREE.Group[] = [];
  private readonly materials = new Map<number, THREE.Material>();

  constructor(readonly character: Character, actor: number, ghost = false) {
    this.layout = layoutOf(character);
    this.frames = makeFrames(character);
    const thing = character.bodies.length === 1;
    character.bodies.forEach((body, i) => {
      const frame = new THREE.Group();
      const material = ghost ? kInside : this.material(thing ? kThing : colorOf(character, i));
      for (const shape of body.shapes) {
        const mesh = new THREE.Mesh(geometryOf(shape), material);
        mesh.position.fromArray(shape.center);
        const [w, x, y, z] = shape.rotation;
        mesh.quaternion.set(x, y, z, w);
        mesh.castShadow = !ghost;
        mesh.receiveShadow = false;
        mesh.userData = { actor, body: i } satisfies BodyTag;
        frame.add(mesh);
        this.meshes.push(mesh);
        if (ghost) {
          const around = new THREE.Mesh(geometryOf(shape, kOutline), kAround);
          around.position.copy(mesh.position);
          around.quaternion.copy(mesh.quaternion);
          mesh.renderOrder = 1;
          around.renderOrder = 2;
          frame.add(around);
          this.outlines.push(around);
        }
      }
      this.bodies.push(frame);
      this.group.add(frame);
    });
  }

  private material(color: number): THREE.Material {
    let material = this.materials.get(color);
    if (!material) {
      material = new THREE.MeshStandardMaterial({ color, roughness: 0.62, metalness: 0 });
      this.materials.set(color, material);
    }
    return material;
  }

  pose(q: ArrayLike<number>) {
    forward(this.character, this.layout, q, this.frames);
    const { position, rotation } = this.frames;
    this.bodies.forEach((body, i) => {
      body.position.set(position[3 * i], position[3 * i + 1], position[3 * i + 2]);
      body.quaternion.set(rotation[4 * i + 1], rotation[4 * i + 2], rotation[4 * i + 3], rotation[4 * i]);
    });
  }

  // A world point in a body's own frame, at the present pose.
  toBody(body: number, point: THREE.Vector3): THREE.Vector3 {
    const frame = this.bodies[body];
    return point.clone().sub(frame.position).applyQuaternion(frame.quaternion.clone().invert());
  }
  toWorld(body: number, point: THREE.Vector3): THREE.Vector3 {
    const frame = this.bodies[body];
    return point.clone().applyQuaternion(frame.quaternion).add(frame.position);
  }

  // How far the shapes reach, for the camera's distance.
  size(): number {
    this.group.updateMatrixWorld(true);
    const size = new THREE.Box3().setFromObject(this.group).getSize(new THREE.Vector3());
    return Math.max(size.x, size.y, size.z);
  }

  dispose() {
    this.group.removeFromParent();
    for (const mesh of [...this.meshes, ...this.outlines]) mesh.geometry.dispose();
    for (const material of this.materials.values()) material.dispose();
  }
}
