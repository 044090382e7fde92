import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Samples } from '../samples';
import { byId, setText } from './dom';

// Plots of a run: the last seconds of a live one, or a whole recording with a mark at the present.

const kHeight = 92; // px
const kInterval = 90; // ms between drawings

interface Plot {
  figure: HTMLElement;
  chart: uPlot;
  value: HTMLElement;
}

export class Plots {
  private plots: Plot[] = [];
  private samples: Samples | null = null;
  private lastDrawn = 0;
  private mark: number | null = null;
  private drawnCount = -1;
  private readonly home = byId('plots');
  onSeek: ((time: number) => void) | null = null;

  constructor() {
    new ResizeObserver(() => {
      for (const { chart } of this.plots) chart.setSize({ width: this.width(), height: kHeight });
    }).observe(this.home);
  }

  private width(): number {
    return Math.max(120, this.home.clientWidth);
  }

  setSamples(samples: Samples) {
    this.samples = samples;
    this.build();
  }

  // Also after a change of colours.
  build() {
    const { samples } = this;
    for (const { chart } of this.plots) chart.destroy();
    this.home.replaceChildren();
    this.plots = [];
    this.drawnCount = -1;
    if (!samples) return;
    const css = getComputedStyle(document.documentElement);
    const color = (name: string) => css.getPropertyValue(name).trim();
    this.plots = samples.specs.map((spec) => {
      const figure = document.createElement('figure');
      figure.className = 'plot';
      figure.setAttribute('aria-label', `${spec.title} over time`);
      const header = document.createElement('header');
      const title = document.createElement('b');
      title.textContent = spec.title;
      const value = document.createElement('output');
      header.append(title, value);
      figure.append(header);
      const colorOf = (line: number) => color(`--plot-${(line % 4) + 1}`);
      if (spec.series.length > 1) {
        const lines = document.createElement('div');
        lines.className = 'lines';
        spec.series.forEach((name, line) => {
          const item = document.createElement('span');
          const swatch = document.createElement('i');
          swatch.style.background = colorOf(line);
          item.append(swatch, name);
          lines.append(item);
        });
        figure.append(lines);
      }
      this.home.append(figure);
      const axis = {
        stroke: color('--muted'),
        grid: { stroke: color('--plot-grid'), width: 1 },
        ticks: { show: false },
        font: '11px system-ui',
      };
      const chart = new uPlot({
        width: this.width(),
        height: kHeight,
        padding: [6, 12, 0, 0],
        legend: { show: false },
        cursor: { drag: { x: false, y: false }, y: false, points: { show: false } },
        scales: { x: { time: false }, y: { range: (_, low, high) => axisRange(low, high, spec.fromZero ?? false) } },
        axes: [{ ...axis, size: 20, space: 60 }, { ...axis, size: 42, space: 26 }],
        series: [{}, ...spec.series.map((name, line) => ({
          label: name, stroke: colorOf(line), width: 1.5, points: { show: false }, spanGaps: false,
          ...(line > 0 && !spec.key.startsWith('channels') ? { dash: [4, 4] } : {}),
        }))],
        hooks: { draw: [(chart) => this.drawMark(chart, color('--text'))] },
      }, [[], ...spec.series.map(() => [])], figure);
      chart.over.addEventListener('click', () => {
        if (this.onSeek && chart.cursor.left !== undefined) this.onSeek(chart.posToVal(chart.cursor.left, 'x'));
      });
      return { figure, chart, value };
    });
  }

  private drawMark(chart: uPlot, color: string) {
    if (this.mark === null) return;
    const x = chart.valToPos(this.mark, 'x', true);
    const { ctx, bbox } = chart;
    ctx.save();
    ctx.strokeStyle = color;
    ctx.setLineDash([]);
    ctx.lineWidth = devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
  }

  // `mark`: the present time of a recording; null: live.
  update(now: number, mark: number | null) {
    const { samples } = this;
    if (!samples || now - this.lastDrawn < kInterval || this.home.offsetParent === null) return;
    this.lastDrawn = now;
    const same = samples.times.length === this.drawnCount && mark !== null;
    if (same && mark === this.mark) return;
    this.mark = mark;
    this.drawnCount = samples.times.length;
    const at = mark === null ? samples.times.length - 1 : nearest(samples.times, mark);
    this.plots.forEach(({ figure, chart, value }, i) => {
      const lines = samples.values[i];
      figure.hidden = !lines[0].some(Number.isFinite); // nothing to show, as the force in a motion
      if (same) chart.redraw(false);
      else chart.setData([samples.times, ...lines.map(gaps)]);
      const x = lines[0][at];
      setText(value, Number.isFinite(x) ? `${format(x)} ${samples.specs[i].unit}` : '–');
    });
  }
}

function axisRange(low: number | null, high: number | null, fromZero: boolean): [number, number] {
  if (low === null || high === null) return [0, 1];
  if (fromZero && low >= 0) return [0, Math.max(1.1 * high, 0.1)];
  // A quiet signal stays a flat line.
  const middle = (low + high) / 2;
  const half = Math.max(0.55 * (high - low), 0.02 * Math.abs(middle), 1e-3);
  return [middle - half, middle + half];
}

const gaps = (values: number[]) => values.map((x) => (Number.isFinite(x) ? x : null));

function nearest(times: number[], time: number): number {
  let low = 0, high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= time + 1e-9) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function format(x: number): string {
  const size = Math.abs(x);
  return x.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
}
