import {
  addPoint, before, canMirror, gapBeside, History, kParts, layerCount, movePoint, removePoint, withMirror,
  type ControlCurve, type CurvePoints, type Edit, type Part,
} from '../curves';
import { channelAt } from '../graph';
import type { Control, Driver } from '../schema';
import { CurvePlot, partOf, thumbnail } from './curve_plot';
import { announce, byId, setText } from './dom';

// The panel in which control curves are edited while they are performed, as animators edit keyframes.

export interface EditorListener {
  send(message: Record<string, unknown>): void;
  save(actor: number): void;
}

const kSendInterval = 60; // ms between messages of a drag
const kHold = 1000;       // ms in which the program's curves do not replace what was just done here
const kStep = 0.01;       // of the range or of the time, a key; a tenth of it with Shift

const kPartNames: Record<Part, string> = { blend_in: 'From rest', cycle: 'Cycle', blend_out: 'To rest' };

export class CurveEditor {
  curves: ControlCurve[] = []; // of the actor, as they are here
  private readonly received = new Map<number, ControlCurve[]>(); // by actor, as the program has them
  private actor = 0;
  private live = false;
  private curve = 0;
  private part: Part = 'cycle';
  private layer = 0;
  private point: number | null = null;
  private readonly history = new History();
  private readonly plot = new CurvePlot(byId('curve-plot'));
  private readonly select = byId<HTMLSelectElement>('curve');
  private readonly mirror = byId<HTMLInputElement>('curve-mirror');
  private grip: { pointer: number; point: number; before: ControlCurve[]; moved: boolean; dt: number; dv: number } | null = null;
  private waiting: Edit[] | null = null; // of a drag, not sent yet
  private touched = -Infinity; // when something was last changed here
  private timer = 0;
  private phaseAt = -1; // in Control.channels
  private modeAt = -1;

  constructor(private readonly offer: (on: boolean) => void, private readonly listener: EditorListener) {
    this.select.addEventListener('change', () => this.choose(Number(this.select.value)));
    byId('curve-parts').append(...kParts.map((part) => this.radio(kPartNames[part], 'part', part, () => this.show({ part }))));
    const { svg } = this.plot;
    svg.addEventListener('pointerdown', (event) => this.down(event as PointerEvent));
    svg.addEventListener('pointermove', (event) => this.move(event as PointerEvent));
    for (const name of ['pointerup', 'pointercancel', 'lostpointercapture']) {
      svg.addEventListener(name, (event) => this.up(event as PointerEvent));
    }
    svg.addEventListener('dblclick', (event) => {
      if (this.plot.pick(event as MouseEvent) === null) this.add(this.plot.at(event as MouseEvent).time);
    });
    svg.addEventListener('focusin', (event) => {
      const point = (event.target as SVGElement).dataset.point;
      if (point !== undefined && Number(point) !== this.point && !this.grip) this.show({ point: Number(point) });
    });
    byId('pane-curves').addEventListener('keydown', (event) => this.key(event));
    byId('curve-add').addEventListener('click', () => this.add(gapBeside(this.now, this.part, this.point)));
    byId('curve-remove').addEventListener('click', () => this.remove());
    byId('curve-undo').addEventListener('click', () => this.undo());
    byId('curve-redo').addEventListener('click', () => this.redo());
    byId('curve-copy').addEventListener('click', () => this.commit([{ curve: this.curve, part: this.part, points: this.now[this.part] }], 0, '', true));
    byId('curve-save').addEventListener('click', () => this.listener.save(this.actor));
    byId('curve-load').addEventListener('click', () => byId<HTMLInputElement>('file').click());
    window.setInterval(() => this.settle(), kHold / 4);
  }

  private get now(): ControlCurve {
    return this.curves[this.curve];
  }

  // --- what the program says ---

  setCurves(actor: number, curves: ControlCurve[]) {
    this.received.set(actor, curves);
    if (actor === this.actor) this.settle();
  }

  // A new run: its curves follow.
  begin() {
    this.received.clear();
  }

  // Whose curves are shown from now on.
  attend(actor: number, driver: Driver | undefined, live: boolean) {
    if (actor !== this.actor || !live) this.history.clear();
    this.actor = actor;
    this.live = live;
    this.phaseAt = driver ? channelAt(driver, 'phase') : -1;
    this.modeAt = driver ? channelAt(driver, 'mode') : -1;
    this.settle();
  }

  // Takes over what the program has, unless something is being done here.
  private settle() {
    if (this.grip || this.waiting || performance.now() - this.touched < kHold) return;
    const curves = this.live ? this.received.get(this.actor) ?? [] : [];
    if (JSON.stringify(curves) === JSON.stringify(this.curves)) return;
    const same = curves.length === this.curves.length && curves.every(({ name }, k) => name === this.curves[k].name);
    this.curves = structuredClone(curves);
    if (!same) {
      this.history.clear();
      this.curve = 0;
      this.part = 'cycle';
      this.layer = 0;
      this.point = null;
      this.select.replaceChildren(...curves.map(({ name }, k) => new Option(name, String(k))));
      this.mirror.checked = true;
    }
    this.offer(curves.length > 0);
    this.draw();
  }

  // --- what is shown ---

  private radio(text: string, kind: string, value: string, choose: () => void): HTMLButtonElement {
    const button = document.createElement('button');
    button.type = 'button';
    button.setAttribute('role', 'radio');
    button.dataset[kind] = value;
    button.textContent = text;
    button.addEventListener('click', choose);
    return button;
  }

  private choose(curve: number) {
    this.show({ curve, point: null });
  }

  private show(change: { curve?: number; part?: Part; layer?: number; point?: number | null }) {
    if (change.part !== undefined && change.part !== this.part) this.point = null;
    Object.assign(this, change);
    this.draw();
  }

  private draw(steady = false) {
    if (this.curves.length === 0) return;
    const { curve, part } = this;
    const layers = layerCount(this.now, part);
    this.layer = Math.min(this.layer, layers - 1);
    const count = this.now[part].times.length;
    if (this.point !== null && this.point >= count) this.point = count > 0 ? count - 1 : null;
    this.select.value = String(curve);
    for (const button of byId('curve-parts').children) button.setAttribute('aria-checked', String((button as HTMLElement).dataset.part === part));
    this.plot.draw({ curve: this.now, part, layer: this.layer, chosen: this.point }, steady);
    const { times, values } = this.now[part];
    setText(byId('curve-value'), this.point === null ? `${count} points`
      : `Point ${this.point + 1} of ${count}: ${values[this.layer * count + this.point].toFixed(3)} ${this.now.unit} at ${(times[this.point] * this.now.seconds[part]).toFixed(3)} s`);
    const disable = (id: string, on: boolean) => (byId<HTMLButtonElement>(id).disabled = on);
    disable('curve-remove', this.point === null || (part === 'cycle' && count === 1));
    disable('curve-undo', !this.history.canUndo);
    disable('curve-redo', !this.history.canRedo);
    const mirrors = canMirror(this.curves, curve, part);
    this.mirror.disabled = !mirrors;
    disable('curve-copy', !mirrors || this.now.mirror === curve);
    setText(byId('curve-mirror-name'), mirrors && this.now.mirror !== curve ? `Mirror on ${this.curves[this.now.mirror].name}` : 'Mirror');
    if (steady) return; // the rest waits for the end of the drag
    this.drawLayers(layers);
    byId('curve-all').replaceChildren(...this.curves.map((each, k) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.title = each.name;
      button.setAttribute('aria-pressed', String(k === curve));
      const name = document.createElement('span');
      name.textContent = each.name;
      button.append(thumbnail(each, part, Math.min(this.layer, layerCount(each, part) - 1)), name);
      button.addEventListener('click', () => this.choose(k));
      return button;
    }));
  }

  // The surface of a feedback joint: a curve for each value of the sensor, one above the other.
  private drawLayers(layers: number) {
    const { now } = this;
    byId('curve-surface').hidden = layers < 2;
    if (layers < 2) return;
    setText(byId('curve-sensor'), `At each ${now.sensor}`);
    byId('curve-layers').replaceChildren(...now.layers.map((value, layer) => {
      const row = this.radio('', 'layer', String(layer), () => this.show({ layer }));
      row.setAttribute('aria-checked', String(layer === this.layer));
      row.setAttribute('aria-label', `${now.sensor} ${value.toFixed(2)}`);
      const label = document.createElement('span');
      label.textContent = value.toFixed(2);
      row.append(label, thumbnail(now, this.part, layer));
      return row;
    }).reverse());
  }

  showPhase(control: Control | undefined) {
    if (this.curves.length === 0 || !control || this.phaseAt < 0) return;
    const mode = this.modeAt < 0 ? null : partOf(control.channels[this.modeAt]);
    const phase = control.channels[this.phaseAt];
    this.plot.showPhase((this.modeAt < 0 || mode === this.part) && phase >= 0 && phase <= 1 ? phase : null);
  }

  // --- what the user does ---

  private down(event: PointerEvent) {
    if (event.button !== 0 || this.grip || this.curves.length === 0) return;
    const point = this.plot.pick(event);
    if (point === null) return;
    event.preventDefault();
    const { times, values } = this.now[this.part];
    const at = this.plot.at(event);
    this.point = point;
    this.grip = {
      pointer: event.pointerId, point, before: structuredClone(this.curves), moved: false,
      dt: times[point] - at.time, dv: values[this.layer * times.length + point] - at.value,
    };
    this.plot.svg.setPointerCapture(event.pointerId);
    this.draw(true);
    this.plot.focus(point);
  }

  private move(event: PointerEvent) {
    const { grip } = this;
    if (!grip || event.pointerId !== grip.pointer) return;
    const { time, value } = this.plot.at(event);
    // From how it was, so that a mirror image follows all of the drag.
    const curves = structuredClone(grip.before);
    const points = movePoint(curves[this.curve], this.part, grip.point, this.layer, time + grip.dt, value + grip.dv);
    const edits = this.mirrored(curves, [{ curve: this.curve, part: this.part, points }], points.times[grip.point]);
    this.curves = curves;
    this.apply(edits);
    this.point = this.nearest(points.times[grip.point]);
    grip.moved = true;
    this.draw(true);
    this.waiting = edits;
    if (!this.timer) this.timer = window.setTimeout(() => this.sendWaiting(), kSendInterval);
  }

  private up(event: PointerEvent) {
    const { grip } = this;
    if (!grip || event.pointerId !== grip.pointer) return;
    this.grip = null;
    if (grip.moved) {
      const after = this.waiting ?? this.lastSent;
      this.sendWaiting();
      this.history.add({ before: before(grip.before, after), after });
    }
    this.draw();
  }

  private lastSent: Edit[] = [];
  private sendWaiting() {
    window.clearTimeout(this.timer);
    this.timer = 0;
    if (this.waiting) this.sendEdits(this.waiting);
    this.waiting = null;
  }

  private sendEdits(edits: Edit[]) {
    this.lastSent = edits;
    this.touched = performance.now();
    for (const { curve, part, points } of edits) this.listener.send({ type: 'curve', actor: this.actor, curve, part, ...points });
  }

  private mirrored(curves: ControlCurve[], edits: Edit[], near: number, always = false): Edit[] {
    return always || (this.mirror.checked && !this.mirror.disabled) ? edits.flatMap((edit) => withMirror(curves, edit, near)) : edits;
  }

  private apply(edits: Edit[]) {
    for (const { curve, part, points } of edits) this.curves[curve][part] = structuredClone(points);
  }

  // One change; those of a `key` in a row are undone together.
  private commit(edits: Edit[], near: number, key = '', always = false) {
    const after = this.mirrored(this.curves, edits, near, always);
    this.history.add({ before: before(this.curves, after), after }, key);
    this.apply(after);
    this.sendEdits(after);
    this.point = this.point === null ? null : this.nearest(near);
    this.draw();
  }

  private nearest(time: number): number {
    const { times } = this.now[this.part];
    return times.reduce((best, t, k) => (Math.abs(t - time) < Math.abs(times[best] - time) ? k : best), 0);
  }

  private set(points: CurvePoints, near: number, key = '') {
    this.commit([{ curve: this.curve, part: this.part, points }], near, key);
  }

  private add(time: number) {
    const added = addPoint(this.now, this.part, time);
    if (!added) return announce('There is no room for another point');
    this.point = added.index;
    this.set(added.points, added.points.times[added.index]);
    announce('Point added');
  }

  private remove() {
    if (this.point === null) return;
    const points = removePoint(this.now, this.part, this.point);
    if (!points) return announce('A cycle keeps one point');
    const time = this.now[this.part].times[this.point];
    this.set(points, time);
    announce('Point removed');
  }

  private undo() {
    this.again(this.history.undo());
  }
  private redo() {
    this.again(this.history.redo());
  }
  private again(edits: Edit[]) {
    if (edits.length === 0) return;
    this.apply(edits);
    this.sendEdits(edits);
    this.show({ curve: edits[0].curve, part: edits[0].part });
  }

  private key(event: KeyboardEvent) {
    const key = event.key.toLowerCase();
    if (event.ctrlKey || event.metaKey) {
      if (key === 'z' && !event.shiftKey) this.undo();
      else if (key === 'y' || key === 'z') this.redo();
      else return;
      return event.preventDefault();
    }
    const target = event.target as SVGElement;
    if (event.altKey || target.dataset.point === undefined) return;
    const point = Number(target.dataset.point), { now, part, layer } = this;
    const { times, values } = now[part];
    const step = event.shiftKey ? 0.1 * kStep : kStep;
    const moves: Record<string, [number, number]> = {
      arrowup: [0, step], arrowdown: [0, -step], arrowleft: [-step, 0], arrowright: [step, 0],
    };
    if (moves[key]) {
      const [dt, dv] = moves[key];
      const moved = movePoint(now, part, point, layer, times[point] + dt, values[layer * times.length + point] + dv * (now.high - now.low));
      this.point = point;
      this.set(moved, moved.times[point], `${this.curve} ${part} ${layer} ${point}`);
    } else if (key === 'delete' || key === 'backspace') {
      this.point = point;
      this.remove();
    } else if (key === '+' || key === 'insert') {
      this.add(gapBeside(now, part, point));
    } else {
      return;
    }
    event.preventDefault();
  }
}
