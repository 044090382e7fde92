import { arrow, channelAt, kNodeHeight, kNodeWidth, layOut, type Place } from '../graph';
import type { Control, Driver, Graph } from '../schema';
import { byId, setText, svgElement as element } from './dom';

// The panel with the graph of what the selected character can do: where the character is, and where it may be sent.

const kFittingName = 10; // letters; more are squeezed
const kLongestName = 14;
const kArrowhead = 6;

// Green to red; grey where it is not known.
const colour = (robustness: number | null) =>
  robustness === null ? 'hsl(0 0% 58%)' : `hsl(${Math.round(130 * robustness * robustness)} 62% 43%)`;
const percent = (robustness: number | null) =>
  robustness === null ? 'not measured' : `${Math.round(100 * robustness)} %`;

export class GraphPanel {
  private styles: string[] = [];
  private graph: Graph | null = null;
  private nodes: SVGElement[] = [];
  private nodeAt = -1; // in Control.channels
  private downAt = -1;
  private current = -1;

  constructor(private readonly offer: (on: boolean) => void, private readonly choose: (style: number) => void) {}

  // Whose graph is shown from now on; undefined: nobody's.
  setDriver(driver: Driver | undefined) {
    this.styles = driver?.styles ?? [];
    this.graph = driver?.graph ?? null;
    this.nodeAt = this.graph ? channelAt(driver!, this.graph.node_channel) : -1;
    this.downAt = this.graph ? channelAt(driver!, this.graph.down_channel) : -1;
    this.current = -1;
    this.offer(this.graph !== null);
    byId('chip-lying').hidden = true;
    this.draw();
  }

  private draw() {
    this.nodes = [];
    if (!this.graph) return byId('graph').replaceChildren();
    const { nodes, links } = this.graph;
    const { places, width, height } = layOut(this.graph);
    const svg = element('svg', { viewBox: `0 0 ${width} ${height}`, role: 'group', 'aria-label': 'Graph of what it can do' });
    for (const { from, to, robustness } of links) {
      const ends = arrow(places[from], places[to]);
      if (!ends) continue;
      const link = element('path', {
        d: arrowPath(ends.from, ends.to), stroke: colour(robustness), class: 'link',
        // Dashed: nobody asks for it, it follows a fall.
        'stroke-dasharray': nodes[from].style === 0 ? '4 3' : 'none',
      });
      link.append(element('title', {}, `${nodes[from].name} to ${nodes[to].name}: ${percent(robustness)}`));
      svg.append(link, element('path', { d: headPath(ends.from, ends.to), fill: colour(robustness) }));
    }
    this.nodes = nodes.map((node, i) => this.drawNode(node, places[i]));
    svg.append(...this.nodes);
    byId('graph').replaceChildren(svg);
    // What no node stands for.
    byId('graph-styles').replaceChildren(...this.styles.flatMap((style, i) => {
      if (nodes.some((node) => node.style === i && i !== 0)) return [];
      const button = document.createElement('button');
      button.type = 'button';
      button.setAttribute('role', 'radio');
      button.dataset.style = String(i);
      button.textContent = style;
      button.addEventListener('click', () => this.choose(i));
      return [button];
    }));
  }

  private drawNode({ name, style, robustness }: Graph['nodes'][number], { x, y }: Place): SVGElement {
    const shown = name.length > kLongestName ? `${name.slice(0, kLongestName - 1)}…` : name;
    const node = element('g', { transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`, class: 'node' });
    node.style.setProperty('--robustness', colour(robustness));
    const label = element('text', { y: robustness === null ? 3.5 : -1 }, shown.replaceAll('_', ' '));
    if (shown.length > kFittingName) {
      label.setAttribute('textLength', String(kNodeWidth - 6));
      label.setAttribute('lengthAdjust', 'spacingAndGlyphs');
    }
    node.append(
      element('title', {}, `${name}: ${percent(robustness)}`),
      element('rect', { x: -kNodeWidth / 2, y: -kNodeHeight / 2, width: kNodeWidth, height: kNodeHeight, rx: 8 }),
      label,
    );
    if (robustness !== null) node.append(element('text', { y: 10, class: 'small' }, percent(robustness)));
    if (style === 0) return node;
    node.setAttribute('role', 'button');
    node.setAttribute('tabindex', '0');
    node.dataset.style = String(style);
    node.addEventListener('click', () => this.choose(style));
    node.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      this.choose(style);
    });
    return node;
  }

  // Where the character is.
  show(control: Control | undefined) {
    if (!this.graph) return;
    const value = control && this.nodeAt >= 0 ? control.channels[this.nodeAt] : NaN;
    const node = Number.isInteger(value) && value >= 0 && value < this.nodes.length ? value : -1;
    if (node !== this.current) {
      this.nodes[this.current]?.classList.remove('current');
      this.nodes[node]?.classList.add('current');
      this.current = node;
    }
    const lying = control !== undefined && this.downAt >= 0 && control.channels[this.downAt] > 0;
    byId('chip-lying').hidden = !lying;
    byId('graph-lying').hidden = !lying;
    const name = node < 0 ? '' : this.graph.nodes[node].name.replaceAll('_', ' ');
    setText(byId('graph-now'), name === '' ? 'not known' : lying ? `then ${name}` : name);
  }

  // Which style is commanded; null where nothing can be (a recording).
  showStyle(style: number | null) {
    const pane = byId('pane-graph');
    pane.classList.toggle('live', style !== null);
    byId('graph-styles').hidden = style === null;
    for (const one of pane.querySelectorAll<HTMLElement | SVGElement>('[data-style]')) {
      const asked = one.dataset.style === String(style);
      one.classList.toggle('asked', asked);
      one.setAttribute('aria-disabled', String(style === null));
      one.setAttribute(one.getAttribute('role') === 'radio' ? 'aria-checked' : 'aria-pressed', String(asked));
    }
  }
}

const point = ({ x, y }: Place) => `${x.toFixed(1)},${y.toFixed(1)}`;

// Up to the head, so that a dash does not show beneath it.
function arrowPath(from: Place, to: Place): string {
  const length = Math.hypot(to.x - from.x, to.y - from.y), part = Math.max(0, 1 - kArrowhead / length);
  return `M${point(from)}L${point({ x: from.x + part * (to.x - from.x), y: from.y + part * (to.y - from.y) })}`;
}

function headPath(from: Place, to: Place): string {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const along = { x: (kArrowhead * (to.x - from.x)) / length, y: (kArrowhead * (to.y - from.y)) / length };
  const side = (sign: number) =>
    point({ x: to.x - along.x - 0.5 * sign * along.y, y: to.y - along.y + 0.5 * sign * along.x });
  return `M${point(to)}L${side(1)}L${side(-1)}z`;
}
