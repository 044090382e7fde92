// Control curves that are edited by hand (control/control_curve.h): what they are between their points, and
// what an edit makes of them. No drawing.

export type Part = 'blend_in' | 'cycle' | 'blend_out';
export const kParts: Part[] = ['blend_in', 'cycle', 'blend_out'];

// Of a feedback curve: values[layer * times.length + point].
export interface CurvePoints {
  times: number[];
  values: number[];
}

export interface ControlCurve extends Record<Part, CurvePoints> {
  name: string;
  unit: string;
  low: number;
  high: number;
  rest: number;
  mirror: number; // -1: none; its own index: it is its own image
  mirror_sign: number;
  mirror_shift: number;
  mirror_reverses: boolean; // the layers
  sensor: string; // '': no feedback
  layers: number[];
  seconds: Record<Part, number>;
}

// New points for a part of a curve.
export interface Edit {
  curve: number;
  part: Part;
  points: CurvePoints;
}

// A control point, with a value for each layer.
export interface Point {
  time: number;
  values: number[];
}

export const kMostPoints = 24;
const kGap = 0.01; // of the time between points
const kDigits = 1e4; // a message is short

const round = (x: number) => Math.round(kDigits * x) / kDigits;
const clamp = (x: number, low: number, high: number) => Math.min(high, Math.max(low, x));
const wrap = (t: number) => t - Math.floor(t);

export const layerCount = (curve: ControlCurve, part: Part) => (part === 'cycle' ? Math.max(1, curve.layers.length) : 1);

export function pointsOf(curve: ControlCurve, part: Part): Point[] {
  const { times, values } = curve[part];
  return times.map((time, k) => ({
    time,
    values: Array.from({ length: layerCount(curve, part) }, (_, layer) => values[layer * times.length + k]),
  }));
}

function packed(points: Point[], layers: number): CurvePoints {
  return {
    times: points.map(({ time }) => time),
    values: Array.from({ length: layers }, (_, layer) => points.map(({ values }) => values[layer])).flat(),
  };
}

// --- what a curve is between its points: cubic Hermite pieces, as the controller has them ---

function hermite(t: number[], v: number[], m: number[], u: number): number {
  if (u <= t[0]) return v[0];
  let k = 0;
  while (k + 2 < t.length && u > t[k + 1]) ++k;
  const length = t[k + 1] - t[k];
  const s = clamp((u - t[k]) / length, 0, 1);
  const h = s * s * (3 - 2 * s);
  return v[k] + h * (v[k + 1] - v[k]) + length * s * (1 - s) * ((1 - s) * m[k] - s * m[k + 1]);
}

const slope = (t: number[], v: number[], from: number, to: number, period: number) => {
  const span = t[to] - t[from];
  return (v[to] - v[from]) / (span > 0 ? span : span + period);
};

function cycleAt(t: number[], v: number[], u: number): number {
  const n = t.length;
  if (n === 1) return v[0];
  // Of two points it turns at each.
  const m = t.map((_, k) => (n === 2 ? 0 : slope(t, v, (k + n - 1) % n, (k + 1) % n, 1)));
  return hermite([...t, t[0] + 1], [...v, v[0]], [...m, m[0]], u < t[0] ? u + 1 : u);
}

// `u`: 0 to 1.
export function valueAt(curve: ControlCurve, part: Part, layer: number, u: number): number {
  const n = curve.cycle.times.length;
  const cycle = (time: number) => cycleAt(curve.cycle.times, curve.cycle.values.slice(layer * n, (layer + 1) * n), time);
  if (part === 'cycle') return clamp(cycle(u), curve.low, curve.high);
  // From rest, where it stands still, to where the cycle begins, along its tangent; or back.
  const kSmall = 1e-4;
  const tangent = ((cycle(kSmall) - cycle(1 - kSmall)) / (2 * kSmall)) * (curve.seconds[part] / curve.seconds.cycle);
  const { times, values } = curve[part];
  const inwards = part === 'blend_in';
  const t = [0, ...times, 1];
  const v = inwards ? [curve.rest, ...values, cycle(0)] : [cycle(0), ...values, curve.rest];
  const m = t.map((_, k) => (k > 0 && k + 1 < t.length ? slope(t, v, k - 1, k + 1, 0) : 0));
  m[inwards ? t.length - 1 : 0] = tangent;
  return clamp(hermite(t, v, m, u), curve.low, curve.high);
}

// --- edits: each gives the new points ---

// Where a point may be in time: not beyond its neighbours.
function room(points: Point[], index: number, part: Part): [number, number] {
  const first = part === 'cycle' ? 0 : kGap;
  return [index > 0 ? points[index - 1].time + kGap : first, index + 1 < points.length ? points[index + 1].time - kGap : 1 - kGap];
}

export function movePoint(curve: ControlCurve, part: Part, index: number, layer: number, time: number, value: number): CurvePoints {
  const points = pointsOf(curve, part);
  const [from, to] = room(points, index, part);
  points[index].time = from > to ? points[index].time : clamp(round(time), from, to);
  points[index].values[layer] = clamp(round(value), curve.low, curve.high);
  return packed(points, layerCount(curve, part));
}

// On the curve, so that it stays nearly as it is. Null: there is no room.
export function addPoint(curve: ControlCurve, part: Part, time: number): { points: CurvePoints; index: number } | null {
  const points = pointsOf(curve, part);
  const at = clamp(round(time), part === 'cycle' ? 0 : kGap, 1 - kGap);
  if (points.length >= kMostPoints || points.some((point) => Math.abs(point.time - at) < kGap)) return null;
  const layers = layerCount(curve, part);
  const values = Array.from({ length: layers }, (_, layer) =>
    clamp(round(valueAt(curve, part, layer, at)), curve.low, curve.high));
  const index = points.filter((point) => point.time < at).length;
  points.splice(index, 0, { time: at, values });
  return { points: packed(points, layers), index };
}

// The middle of the widest gap beside a point (or anywhere), for who has no pointer.
export function gapBeside(curve: ControlCurve, part: Part, index: number | null): number {
  const { times } = curve[part];
  const cycle = part === 'cycle';
  const nodes = cycle ? [...times, times[0] + 1] : [0, ...times, 1];
  const gaps = nodes.slice(1).map((node, k) => ({ k, width: node - nodes[k], middle: wrap((node + nodes[k]) / 2) }));
  const at = index === null ? null : cycle ? index : index + 1; // of the point in `nodes`
  const beside = at === null ? gaps : gaps.filter(({ k }) => k === at || k === (cycle && at === 0 ? times.length - 1 : at - 1));
  return beside.reduce((best, gap) => (gap.width > best.width + 1e-9 ? gap : best)).middle;
}

// Null: it is the last of a cycle.
export function removePoint(curve: ControlCurve, part: Part, index: number): CurvePoints | null {
  const points = pointsOf(curve, part);
  if (part === 'cycle' && points.length === 1) return null;
  points.splice(index, 1);
  return packed(points, layerCount(curve, part));
}

// --- mirror images ---

// The cycle has one; a blend only where both sides do the same at the same time.
export function canMirror(curves: ControlCurve[], curve: number, part: Part): boolean {
  const { mirror, mirror_shift: shift, mirror_sign: sign } = curves[curve];
  if (mirror < 0 || (part !== 'cycle' && shift !== 0)) return false;
  return mirror !== curve || (part === 'cycle' && (shift !== 0 || sign > 0));
}

function imageOf(point: Point, from: ControlCurve, to: ControlCurve, part: Part): Point {
  const values = point.values.map((value) => clamp(round(to.rest + from.mirror_sign * (value - from.rest)), to.low, to.high));
  if (part === 'cycle' && from.mirror_reverses) values.reverse();
  return { time: part === 'cycle' ? round(wrap(point.time + from.mirror_shift)) % 1 : point.time, values };
}

const inOrder = (points: Point[]) => points.sort((a, b) => a.time - b.time);

// An edit with what the mirror image needs, so that both agree. `near`: the time about which something was
// changed; of a curve that is its own image that half wins.
export function withMirror(curves: ControlCurve[], edit: Edit, near: number): Edit[] {
  const { curve, part } = edit;
  if (!canMirror(curves, curve, part)) return [edit];
  const from = curves[curve], to = curves[from.mirror], layers = layerCount(from, part);
  const points = pointsOf({ ...from, [part]: edit.points }, part);
  if (from.mirror !== curve) {
    return [edit, { curve: from.mirror, part, points: packed(inOrder(points.map((point) => imageOf(point, from, to, part))), layers) }];
  }
  if (from.mirror_shift === 0) return [edit];
  const kept = points.filter((point) => wrap(point.time - near + 0.25 + 1e-6) < 0.5);
  const all = inOrder([...kept, ...kept.map((point) => imageOf(point, from, to, part))]);
  return all.length > kMostPoints ? [edit] : [{ curve, part, points: packed(all, layers) }];
}

// --- what was done, to be undone ---

export interface Change {
  before: Edit[];
  after: Edit[];
}

export const before = (curves: ControlCurve[], edits: Edit[]): Edit[] =>
  edits.map(({ curve, part }) => ({ curve, part, points: structuredClone(curves[curve][part]) }));

export class History {
  private done: Change[] = [];
  private undone: Change[] = [];
  private lastKey = '';

  // Changes of the same key in a row are one.
  add(change: Change, key = '') {
    const last = this.done[this.done.length - 1];
    const goesOn = key !== '' && key === this.lastKey && this.undone.length === 0 && last !== undefined;
    if (goesOn) last.after = change.after;
    else this.done.push(change);
    this.undone = [];
    this.lastKey = key;
  }

  get canUndo() {
    return this.done.length > 0;
  }
  get canRedo() {
    return this.undone.length > 0;
  }

  undo(): Edit[] {
    const change = this.done.pop();
    this.lastKey = '';
    if (!change) return [];
    this.undone.push(change);
    return change.before;
  }
  redo(): Edit[] {
    const change = this.undone.pop();
    if (!change) return [];
    this.done.push(change);
    return change.after;
  }

  clear() {
    this.done = [];
    this.undone = [];
    this.lastKey = '';
  }
}
