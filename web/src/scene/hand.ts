import * as THREE from 'three';
import type { BodyTag } from './figure';
import type { Stage } from './stage';

// The hand of the user in the scene: drags a body by a spring, throws balls. A drag that begins
// beside the character is the camera's.

export interface HandListener {
  canPush(): boolean;
  drag(actor: number, body: number, point: number[], target: number[]): void;
  release(): void;
  throwBall(from: number[], velocity: number[]): void;
  select(actor: number): void; // clicked
  goTo(x: number, y: number): void; // clicked twice
}

const kThrowDistance = 3; // m
const kThrowSpeed = 9;    // m/s
const kDragInterval = 16; // ms between messages
const kClick = 6;         // pixels a finger may move in a click

interface Grip {
  pointer: number;
  tag: BodyTag;
  point: THREE.Vector3; // body frame
  plane: THREE.Plane;   // in which the target moves: it faces the camera
  target: THREE.Vector3;
  x: number;
  y: number;
  moved: boolean;
}

export class Hand {
  throwing = false; // clicks on the character throw
  private grip: Grip | null = null;
  private lastSent = 0;

  constructor(private readonly stage: Stage, private readonly listener: HandListener) {
    const { canvas } = stage;
    // Before the camera's own listeners.
    canvas.addEventListener('pointerdown', (event) => this.down(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.move(event));
    canvas.addEventListener('dblclick', (event) => this.point(event));
    for (const name of ['pointerup', 'pointercancel', 'lostpointercapture'] as const) {
      canvas.addEventListener(name, (event) => this.up(event));
    }
  }

  get dragging(): boolean {
    return this.grip !== null;
  }

  // Of the spring: where it is to go, from where, m.
  get span(): { at: number[]; target: number[] } | null {
    const { grip } = this;
    return grip && { at: this.stage.figures[grip.tag.actor].toWorld(grip.tag.body, grip.point).toArray(), target: grip.target.toArray() };
  }

  private down(event: PointerEvent) {
    if (event.button !== 0 || this.grip || !this.listener.canPush()) return;
    const hit = this.stage.pick(event.clientX, event.clientY);
    if (!hit) return;
    const tag = hit.object.userData as BodyTag;
    const toCamera = this.stage.camera.getWorldDirection(new THREE.Vector3()).negate();
    this.grip = {
      pointer: event.pointerId,
      tag,
      point: this.stage.figures[tag.actor].toBody(tag.body, hit.point),
      plane: new THREE.Plane().setFromNormalAndCoplanarPoint(toCamera, hit.point),
      target: hit.point.clone(),
      x: event.clientX,
      y: event.clientY,
      moved: false,
    };
    this.stage.controls.enabled = false;
    this.stage.canvas.setPointerCapture(event.pointerId);
  }

  // A place on the ground.
  private point(event: MouseEvent) {
    if (!this.listener.canPush() || this.stage.pick(event.clientX, event.clientY)) return;
    const place = this.stage.pickGround(event.clientX, event.clientY);
    if (place) this.listener.goTo(place.x, place.y);
  }

  private move(event: PointerEvent) {
    const { grip } = this;
    if (!grip) {
      if (event.pointerType === 'mouse' && event.buttons === 0) this.hover(event);
      return;
    }
    if (event.pointerId !== grip.pointer) return;
    if (Math.hypot(event.clientX - grip.x, event.clientY - grip.y) > kClick) grip.moved = true;
    this.stage.ray(event.clientX, event.clientY).ray.intersectPlane(grip.plane, grip.target);
  }

  private hover(event: PointerEvent) {
    const over = this.listener.canPush() && this.stage.pick(event.clientX, event.clientY) !== null;
    this.stage.canvas.style.cursor = over ? (this.throwing ? 'crosshair' : 'grab') : '';
  }

  private up(event: PointerEvent) {
    const { grip } = this;
    if (!grip || event.pointerId !== grip.pointer) return;
    this.grip = null;
    this.stage.controls.enabled = true;
    this.stage.spring.hide();
    this.stage.invalidate();
    if (grip.moved && !this.throwing) this.listener.release();
    else if (!grip.moved && event.type === 'pointerup') {
      if (this.throwing) this.throwAt(grip.target);
      else this.listener.select(grip.tag.actor);
    }
  }

  // Once a picture: keeps the spring alive while the finger rests, and shows it.
  update(now: number) {
    const { grip } = this;
    if (!grip || !grip.moved || this.throwing) return;
    const figure = this.stage.figures[grip.tag.actor];
    if (!figure) return;
    this.stage.spring.set(figure.toWorld(grip.tag.body, grip.point).toArray(), grip.target.toArray());
    this.stage.invalidate();
    if (now - this.lastSent < kDragInterval) return;
    this.lastSent = now;
    this.listener.drag(grip.tag.actor, grip.tag.body, grip.point.toArray(), grip.target.toArray());
  }

  // From the side of the camera, so that it arrives at the point in spite of its fall and of the
  // character's own movement.
  throwAt(point: THREE.Vector3) {
    const aim = this.stage.camera.position.clone().sub(point);
    const distance = Math.min(kThrowDistance, 0.9 * aim.length());
    const from = point.clone().addScaledVector(aim.normalize(), distance);
    const floor = this.stage.floorAt(from.x, from.y);
    from.z = Math.max(from.z, floor + 0.4);
    const seconds = from.distanceTo(point) / kThrowSpeed;
    const velocity = point.clone().sub(from).divideScalar(seconds);
    velocity.z += 0.5 * this.stage.gravity * seconds;
    const walking = this.stage.sample?.comVelocity;
    if (walking) velocity.add(new THREE.Vector3(walking[0], walking[1], 0));
    this.listener.throwBall(from.toArray(), velocity.toArray());
  }

  throwAtTrunk() {
    const figure = this.stage.figures[this.stage.selected];
    if (!figure) return;
    const { roles, bodies } = figure.character;
    const body = roles.trunk ?? 0;
    this.throwAt(figure.toWorld(body, new THREE.Vector3(...bodies[body].com)));
  }
}
