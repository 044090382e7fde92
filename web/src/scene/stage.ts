import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { Character, Control, Frame, Header, Terrain } from '../schema';
import { Meter, type Sample } from '../samples';
import { Figure } from './figure';
import { Ground } from './ground';
import { Arrows, CentreOfMass, ChannelMarks, Rod } from './marks';

// The 3D view of one frame: figures, ground, marks, and a camera that follows.

export interface Layers {
  follow: boolean;
  ghost: boolean;
  contacts: boolean;
  pushes: boolean;
  com: boolean;
  channels: boolean;
}

const kForceScale = 1 / 1000; // m of arrow a newton of ground force
const kPushScale = 1 / 400;
const kLongestArrow = 2; // m
const kPixelRatios = [2, 1.5, 1, 0.75, 0.5];
const kSlowFrame = 0.045; // s; slower pictures than this make the view coarser
const kFirstPictures = 20;
const kBarOffset = 34;    // px
const kTeleport = 1.5;    // m in one frame: a restart, not a movement

function scaled(vector: ArrayLike<number>, factor: number): [number, number, number] {
  const length = Math.hypot(vector[0], vector[1], vector[2]) * factor;
  const f = length > kLongestArrow ? (factor * kLongestArrow) / length : factor;
  return [vector[0] * f, vector[1] * f, vector[2] * f];
}

export class Stage {
  readonly camera = new THREE.PerspectiveCamera(38, 1, 0.05, 200);
  readonly controls: OrbitControls;
  readonly layers: Layers = { follow: true, ghost: true, contacts: true, pushes: true, com: false, channels: true };
  readonly spring = new Rod(0x2f6fde, 0.01);
  figures: Figure[] = [];
  drawn = 0; // pictures
  sample: Sample | null = null; // of the selected character
  goal: [number, number] | null = null; // where the selected character was told to go
  selected = 0; // actor that the camera follows and the user steers
  gravity = 9.81;
  private readonly renderer: THREE.WebGLRenderer;
  private readonly scene = new THREE.Scene();
  private readonly ground = new Ground();
  private readonly sun = new THREE.DirectionalLight(0xffffff, 2.1);
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0xb8bec8, 1.7);
  private readonly contactArrows = new Arrows(0x16a34a, 64, 0.011);
  private readonly pushArrows = new Arrows(0xe0455e, 16, 0.018);
  private readonly headingArrow = new Arrows(0x2f6fde, 1, 0.02);
  private readonly goalRing = new THREE.Mesh(new THREE.RingGeometry(0.22, 0.3, 32),
    new THREE.MeshBasicMaterial({ color: 0x2f6fde, transparent: true, opacity: 0.8, side: THREE.DoubleSide }));
  private readonly com = new CentreOfMass();
  private readonly marks = new ChannelMarks();
  private ghost: Figure | null = null;
  private meter: Meter | null = null;
  private header: Header | null = null;
  private anchor: THREE.Vector3 | null = null; // where the camera last saw the character
  private height = 0; // that the camera looks at
  private placed: THREE.Vector3 | null = null; // the camera's target, as it follows
  private readonly aside = new THREE.Vector3(); // by how much the user moved it
  private dirty = true;
  private ratio: number;
  private slowness = 0; // s a picture, smoothed
  private readonly calm = matchMedia('(prefers-reduced-motion: reduce)').matches;

  constructor(readonly canvas: HTMLCanvasElement) {
    // Without a graphics card smooth edges and shadows cost more than they give.
    const software = drawsInSoftware();
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !software, stencil: true, powerPreference: 'high-performance' });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = software ? THREE.BasicShadowMap : THREE.PCFShadowMap;
    this.ratio = Math.min(devicePixelRatio, software ? 1 : kPixelRatios[0]);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.screenSpacePanning = true;
    this.controls.minDistance = 0.6;
    this.controls.maxDistance = 25;
    this.controls.maxPolarAngle = 0.53 * Math.PI;
    this.controls.addEventListener('change', () => this.invalidate());

    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.bias = -0.0005;
    this.sun.shadow.radius = 3;
    const box = this.sun.shadow.camera;
    box.left = box.bottom = -2.4;
    box.right = box.top = 2.4;
    box.near = 0.5;
    box.far = 14;
    this.scene.add(this.sun, this.sun.target, this.sky, this.ground.mesh, this.contactArrows.group,
      this.pushArrows.group, this.headingArrow.group, this.goalRing, this.com.group, this.marks.group, this.spring.mesh);
    this.lookFrom(1.8);
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
    this.resize();
  }

  invalidate() {
    this.dirty = true;
  }

  setTheme(css: CSSStyleDeclaration) {
    const color = (name: string) => css.getPropertyValue(name).trim();
    const background = new THREE.Color(color('--sky'));
    this.scene.background = background;
    this.scene.fog = new THREE.Fog(background, 10, 34);
    this.ground.setColors(color('--ground'), color('--ground-2'), color('--ground-line'), color('--ground-strong'));
    this.sky.intensity = Number(color('--sky-light'));
    this.invalidate();
  }

  // A new run: its actors, ground and channels. The camera keeps its angle.
  begin(header: Header, actors: Character[]) {
    const same = this.figures[0]?.character.name === actors[0]?.name;
    for (const figure of this.figures) figure.dispose();
    this.figures = [];
    this.addActors(actors.slice(0, header.world.actors.length));
    this.header = header;
    this.select(0);
    this.gravity = header.world.gravity;
    this.setTerrain(header.world.terrain);
    this.figures[0].pose(actors[0].rest_q);
    if (!same) this.lookFrom(this.figures[0].size());
    this.anchor = null;
    this.invalidate();
  }

  addActors(actors: Character[]) {
    for (const actor of actors) {
      const figure = new Figure(actor, this.figures.length);
      this.figures.push(figure);
      this.scene.add(figure.group);
    }
  }

  // The actor whose reference and plans are drawn, and whom the camera follows.
  select(actor: number) {
    this.selected = actor;
    this.meter = new Meter(this.header!, actor);
    this.ghost?.dispose();
    this.ghost = new Figure(this.meter.character, -1, true);
    this.ghost.group.visible = false;
    this.scene.add(this.ghost.group);
    this.marks.setChannels(this.header!.controllers[actor]?.channels ?? []);
    this.invalidate();
  }

  setTerrain(terrain: Terrain) {
    this.ground.setTerrain(terrain);
    this.invalidate();
  }

  // `actors`: all there are; those that joined since are added.
  show(frame: Frame, actors: Character[]) {
    if (!this.meter) return;
    if (actors.length > this.figures.length) this.addActors(actors.slice(this.figures.length));
    this.figures.forEach((figure, i) => {
      const state = frame.actors[i];
      figure.group.visible = state !== undefined && Number.isFinite(state.q[0]);
      if (figure.group.visible) figure.pose(state.q);
    });
    if (!this.figures[this.selected].group.visible) return;
    const sample = this.meter.measure(frame);
    this.sample = sample;
    const { layers } = this;

    const control: Control | undefined = frame.controls[this.selected];
    const reference = layers.ghost ? control?.reference : null;
    this.ghost!.group.visible = Boolean(reference);
    if (reference) this.ghost!.pose(reference);

    this.contactArrows.begin();
    if (layers.contacts) {
      for (const contact of frame.contacts) {
        this.contactArrows.add(contact.position, scaled(contact.force, kForceScale));
      }
    }
    this.contactArrows.end();

    this.pushArrows.begin();
    if (layers.pushes) {
      for (const push of frame.forces) {
        const arrow = scaled(push.force, kPushScale);
        // The tip touches the body.
        this.pushArrows.add(push.position.map((x, k) => x - arrow[k]), arrow);
      }
    }
    this.pushArrows.end();

    const [x, y] = sample.com;
    const floor = this.ground.height(x, y);
    this.com.group.visible = layers.com;
    if (layers.com) this.com.set(sample.com, floor);
    this.marks.group.visible = layers.channels;
    if (layers.channels && control) this.marks.set(control.channels);

    this.headingArrow.begin();
    const heading = control?.heading ?? NaN;
    if (Number.isFinite(heading)) {
      const c = Math.cos(heading), s = Math.sin(heading);
      this.headingArrow.add([x + 0.35 * c, y + 0.35 * s, floor + 0.02], [0.45 * c, 0.45 * s, 0]);
    }
    this.headingArrow.end();
    this.goalRing.visible = this.goal !== null;
    if (this.goal) this.goalRing.position.set(...this.goal, this.ground.height(...this.goal) + 0.015);

    this.track(x, y, sample.com[2]);
    this.invalidate();
  }

  floorAt(x: number, y: number): number {
    return this.ground.height(x, y);
  }

  private track(x: number, y: number, z: number) {
    const seen = new THREE.Vector3(x, y, z);
    this.ground.follow(x, y);
    this.sun.target.position.set(x, y, z - 0.5);
    this.sun.position.set(x - 1.6, y - 2.2, z + 5);
    const { target } = this.controls;
    if (this.layers.follow) {
      const jump = !this.anchor || seen.distanceTo(this.anchor) > kTeleport;
      // Up and down only slowly, so that a bounce is seen as one.
      this.height = jump || this.calm ? z : this.height + 0.05 * (z - this.height);
      // The picture stays where the user moved it to, beside the character.
      if (this.placed) this.aside.add(target).sub(this.placed);
      this.placed = new THREE.Vector3(x, y, this.height).add(this.aside);
      this.camera.position.add(this.placed).sub(target);
      target.copy(this.placed);
      this.controls.update();
    } else {
      this.placed = null;
      this.aside.set(0, 0, 0);
    }
    this.anchor = seen;
  }

  // From the character's right and a little ahead, so that it walks from left to right.
  private lookFrom(size: number) {
    const distance = Math.max(1.6, 2.3 * size);
    this.camera.position.copy(this.controls.target)
      .add(new THREE.Vector3(0.42, -0.86, 0.26).normalize().multiplyScalar(distance));
    this.controls.update();
  }

  resetView() {
    this.controls.target.sub(this.aside);
    this.placed?.sub(this.aside);
    this.aside.set(0, 0, 0);
    if (this.figures[0]) this.lookFrom(this.figures[0].size());
  }

  // Bodies under a point of the screen.
  pick(clientX: number, clientY: number): THREE.Intersection | null {
    const meshes = this.figures.filter((figure) => figure.group.visible).flatMap((figure) => figure.meshes);
    return this.ray(clientX, clientY).intersectObjects(meshes, false)[0] ?? null;
  }

  // Where a point of the screen is on the ground; not beyond what is lit.
  pickGround(clientX: number, clientY: number): THREE.Vector3 | null {
    const kFarthest = 40; // m
    const { ray } = this.ray(clientX, clientY);
    // The ground's own function, along the ray: first above it, then below.
    const step = 0.05, point = new THREE.Vector3();
    for (let along = 0; along < kFarthest; along += step) {
      ray.at(along, point);
      if (point.z <= this.ground.height(point.x, point.y)) return point;
    }
    return null;
  }

  ray(clientX: number, clientY: number): THREE.Raycaster {
    const box = this.canvas.getBoundingClientRect();
    const raycaster = new THREE.Raycaster();
    raycaster.setFromCamera(new THREE.Vector2(
      (2 * (clientX - box.left)) / box.width - 1, 1 - (2 * (clientY - box.top)) / box.height), this.camera);
    return raycaster;
  }

  // Where a world point is on the screen.
  project(point: THREE.Vector3): { x: number; y: number } {
    const p = point.clone().project(this.camera);
    const box = this.canvas.getBoundingClientRect();
    return { x: box.left + ((p.x + 1) / 2) * box.width, y: box.top + ((1 - p.y) / 2) * box.height };
  }

  render(seconds: number) {
    if (!this.dirty) {
      this.slowness = 0;
      return;
    }
    this.dirty = false;
    this.renderer.render(this.scene, this.camera);
    ++this.drawn;
    this.adapt(seconds);
  }

  // A copy of the picture.
  picture(): HTMLCanvasElement {
    this.renderer.render(this.scene, this.camera);
    const copy = document.createElement('canvas');
    copy.width = this.canvas.width;
    copy.height = this.canvas.height;
    copy.getContext('2d')!.drawImage(this.canvas, 0, 0);
    return copy;
  }

  private adapt(seconds: number) {
    // The first pictures wait for shaders to be compiled.
    if (document.hidden || this.drawn < kFirstPictures) return;
    this.slowness = this.slowness === 0 ? 0.5 * kSlowFrame : 0.93 * this.slowness + 0.07 * seconds;
    if (this.slowness < kSlowFrame) return;
    const coarser = kPixelRatios.find((ratio) => ratio < this.ratio);
    this.slowness = 0;
    if (coarser !== undefined) this.setRatio(coarser);
  }

  // Pixels drawn a pixel of the page.
  setRatio(ratio: number) {
    this.ratio = ratio;
    this.resize();
  }

  private resize() {
    const { clientWidth, clientHeight } = this.canvas.parentElement!;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.renderer.setPixelRatio(this.ratio);
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.camera.aspect = clientWidth / clientHeight;
    // A little higher, clear of the bar at the bottom.
    this.camera.setViewOffset(clientWidth, clientHeight, 0, kBarOffset, clientWidth, clientHeight);
    this.invalidate();
    // Setting the size clears the canvas: draw now rather than flash.
    this.render(0);
  }
}

function drawsInSoftware(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2');
  const info = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = info ? String(gl!.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software/i.test(name);
}
