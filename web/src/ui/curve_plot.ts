import { kParts, layerCount, pointsOf, valueAt, type ControlCurve, type Part } from '../curves';
import { svgElement as element } from './dom';

// A curve with its control points as a picture that is edited: what is drawn, and where the pointer is on it.

const kLeft = 34, kRight = 10, kTop = 10, kBottom = 18; // px around the plot
const kSamples = 96;
const kReach = 22; // px from a point that still takes hold of it

// A small picture of one layer, without points.
export function thumbnail(curve: ControlCurve, part: Part, layer: number): SVGElement {
  const [low, high] = rangeOf(curve, part);
  const svg = element('svg', { viewBox: '0 0 100 34', preserveAspectRatio: 'none', class: 'thumb', 'aria-hidden': 'true' });
  const path = Array.from({ length: 49 }, (_, i) => {
    const u = i / 48;
    return `${i ? 'L' : 'M'}${(100 * u).toFixed(1)} ${(32 - (30 * (valueAt(curve, part, layer, u) - low)) / (high - low)).toFixed(1)}`;
  });
  svg.append(element('path', { d: path.join(''), 'vector-effect': 'non-scaling-stroke' }));
  return svg;
}

// All its layers with some room, within what points may have.
function rangeOf(curve: ControlCurve, part: Part): [number, number] {
  let low = curve.rest, high = curve.rest;
  for (let layer = 0; layer < layerCount(curve, part); ++layer) {
    for (let i = 0; i <= kSamples; i += 2) {
      const value = valueAt(curve, part, layer, i / kSamples);
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  const more = Math.max(0.25 * (high - low), 0.08 * (curve.high - curve.low));
  return [Math.max(low - more, curve.low - 0.05 * more), Math.min(high + more, curve.high + 0.05 * more)];
}

export interface Shown {
  curve: ControlCurve;
  part: Part;
  layer: number;
  chosen: number | null; // point
}

export class CurvePlot {
  readonly svg = element('svg', { class: 'curve-plot', role: 'group' });
  private readonly phase = element('line', { class: 'phase', visibility: 'hidden' });
  private width = 300;
  private height = 190;
  private range: [number, number] = [0, 1];
  private shown: Shown | null = null;

  constructor(private readonly home: HTMLElement) {
    home.append(this.svg);
    new ResizeObserver(() => this.shown && this.draw(this.shown)).observe(home);
  }

  private x(u: number): number {
    return kLeft + u * (this.width - kLeft - kRight);
  }
  private y(value: number): number {
    const [low, high] = this.range;
    return kTop + ((high - value) / (high - low)) * (this.height - kTop - kBottom);
  }

  // Of the pointer in the picture's own units, however the page scales and centres it.
  private local(event: MouseEvent): { x: number; y: number } {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform((this.svg as SVGSVGElement).getScreenCTM()?.inverse());
  }

  // Where the pointer is: time and value, beyond the frame too.
  at(event: MouseEvent): { time: number; value: number } {
    const { x, y } = this.local(event);
    const [low, high] = this.range;
    return {
      time: (x - kLeft) / (this.width - kLeft - kRight),
      value: high - ((y - kTop) / (this.height - kTop - kBottom)) * (high - low),
    };
  }

  // The point of the shown layer under the pointer.
  pick(event: MouseEvent): number | null {
    if (!this.shown) return null;
    const { x, y } = this.local(event);
    const { curve, part, layer } = this.shown;
    let best: number | null = null, nearest = kReach;
    pointsOf(curve, part).forEach(({ time, values }, i) => {
      const distance = Math.hypot(x - this.x(time), y - this.y(values[layer]));
      if (distance < nearest) [best, nearest] = [i, distance];
    });
    return best;
  }

  // `steady`: the scale stays, while a point is dragged.
  draw(shown: Shown, steady = false) {
    const { curve, part, layer, chosen } = shown;
    this.shown = shown;
    const focused = (document.activeElement as SVGElement | null)?.dataset.point;
    const hadFocus = this.svg.contains(document.activeElement);
    this.width = Math.max(200, this.home.clientWidth);
    this.height = this.svg.clientHeight || this.height;
    if (!steady) this.range = rangeOf(curve, part);
    const { width, height } = this;
    this.svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.svg.setAttribute('aria-label', `${curve.name}: control points`);
    const [low, high] = this.range, right = width - kRight, bottom = height - kBottom;
    const line = (name: string, value: number) => element('line', { class: name, x1: kLeft, x2: right, y1: this.y(value), y2: this.y(value) });
    const parts: SVGElement[] = [element('rect', { class: 'frame', x: kLeft, y: kTop, width: right - kLeft, height: bottom - kTop, rx: 4 })];
    for (const bound of [curve.low, curve.high]) if (bound > low && bound < high) parts.push(line('bound', bound));
    parts.push(line('rest', curve.rest));
    const label = (x: number, y: number, text: string, anchor: string) => element('text', { x, y, 'text-anchor': anchor }, text);
    parts.push(
      label(kLeft - 4, kTop + 9, high.toFixed(2), 'end'), label(kLeft - 4, bottom, low.toFixed(2), 'end'),
      label(kLeft - 4, (kTop + bottom) / 2 + 4, curve.unit, 'end'), label(kLeft, height - 4, '0', 'start'),
      label(right, height - 4, `${Number(curve.seconds[part].toFixed(2))} s`, 'end'),
    );
    for (let other = 0; other < layerCount(curve, part); ++other) if (other !== layer) parts.push(this.path(curve, part, other, 'line faint'));
    parts.push(this.path(curve, part, layer, 'line'));
    this.phase.setAttribute('y1', String(kTop));
    this.phase.setAttribute('y2', String(bottom));
    parts.push(this.phase);
    const points = pointsOf(curve, part);
    points.forEach(({ time, values }, i) => {
      const value = values[layer];
      const point = element('g', {
        class: i === chosen ? 'point chosen' : 'point', transform: `translate(${this.x(time).toFixed(1)} ${this.y(value).toFixed(1)})`,
        role: 'slider', tabindex: 0, 'data-point': i, 'aria-orientation': 'vertical',
        'aria-label': `Point ${i + 1} of ${points.length}, at ${(time * curve.seconds[part]).toFixed(2)} s`,
        'aria-valuemin': curve.low.toFixed(2), 'aria-valuemax': curve.high.toFixed(2), 'aria-valuenow': value.toFixed(3),
        'aria-valuetext': `${value.toFixed(3)} ${curve.unit}`,
      });
      point.append(element('circle', { r: 15, class: 'halo' }), element('circle', { r: 6 }));
      parts.push(point);
    });
    this.svg.replaceChildren(...parts);
    if (hadFocus && focused !== undefined) this.focus(chosen ?? Number(focused));
  }

  focus(point: number) {
    this.svg.querySelector<SVGElement>(`[data-point="${point}"]`)?.focus({ preventScroll: true });
  }

  private path(curve: ControlCurve, part: Part, layer: number, name: string): SVGElement {
    const steps = Array.from({ length: kSamples + 1 }, (_, i) => {
      const u = i / kSamples;
      return `${i ? 'L' : 'M'}${this.x(u).toFixed(1)} ${this.y(valueAt(curve, part, layer, u)).toFixed(1)}`;
    });
    return element('path', { d: steps.join(''), class: name });
  }

  // Where in the shown part the character is; null: elsewhere.
  showPhase(phase: number | null) {
    this.phase.setAttribute('visibility', phase === null ? 'hidden' : 'visible');
    if (phase === null) return;
    const x = this.x(phase).toFixed(1);
    this.phase.setAttribute('x1', x);
    this.phase.setAttribute('x2', x);
  }
}

export const partOf = (mode: number): Part | null => kParts[mode - 1] ?? null;
