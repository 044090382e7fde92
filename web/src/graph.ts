import type { Driver, Graph } from './schema';

// The graph of what a controller can do: whether it is one, and where its nodes are drawn.

const kMostNodes = 60; // more cannot be read in a panel

const isObject = (x: unknown): x is Record<string, unknown> => typeof x === 'object' && x !== null;
const isIndex = (x: unknown, end: number) => Number.isInteger(x) && (x as number) >= 0 && (x as number) < end;
const isRobustness = (x: unknown) => x === null || (typeof x === 'number' && x >= 0 && x <= 1);

// Null for what is no graph: a file may hold anything there.
export function checkedGraph(graph: unknown, styleCount: number): Graph | null {
  if (!isObject(graph) || !Array.isArray(graph.nodes) || !Array.isArray(graph.links)) return null;
  const { nodes, links } = graph;
  if (nodes.length === 0 || nodes.length > kMostNodes || links.length > nodes.length * nodes.length) return null;
  const good = nodes.every((node) => isObject(node) && typeof node.name === 'string' &&
      isIndex(node.style, Math.max(1, styleCount)) && isRobustness(node.robustness)) &&
    links.every((link) => isObject(link) && isIndex(link.from, nodes.length) && isIndex(link.to, nodes.length) &&
      isRobustness(link.robustness));
  const named = typeof graph.node_channel === 'string' && typeof graph.down_channel === 'string';
  return good && named ? (graph as unknown as Graph) : null;
}

// Where a channel begins in Control.channels; -1: there is none.
export function channelAt(driver: Driver, name: string): number {
  let at = 0;
  for (const channel of driver.channels) {
    if (channel.name === name) return at;
    at += channel.values;
  }
  return -1;
}

export interface Place {
  x: number;
  y: number;
}
export interface Layout {
  places: Place[]; // middles of the nodes
  width: number;
  height: number;
}

export const kNodeWidth = 64;
export const kNodeHeight = 30;
const kWidth = 300; // at least: the panel's
const kGap = 8;     // between nodes
const kHigh = 1.25; // of the ring over its width: room for arrows between neighbours

// The first in the middle, from where all is reached; around it what can be asked for; in rows below
// what cannot: ways to rise.
export function layOut(graph: Graph): Layout {
  const asked = graph.nodes.filter((node, i) => i > 0 && node.style !== 0).length;
  const below = graph.nodes.filter((node, i) => i > 0 && node.style === 0).length;
  const step = kNodeWidth + kGap;
  // Neighbours on the circle are a step apart; more than fit make the picture larger.
  const ring = Math.max((kWidth - step) / 2, asked > 4 ? step / Math.sin((2 * Math.PI) / asked) : 0);
  const width = 2 * ring + step, middle = width / 2, inARow = Math.floor(width / step);
  const top = (kNodeHeight + kGap) / 2, centre = asked === 0 ? top : top + kHigh * ring;
  const bottom = 2 * centre + 2 * kGap;
  let around = 0, beneath = 0;
  const places = graph.nodes.map((node, i): Place => {
    if (i === 0) return { x: middle, y: centre };
    if (node.style !== 0) {
      const angle = (2 * Math.PI * around++) / asked;
      return { x: middle + ring * Math.sin(angle), y: centre - kHigh * ring * Math.cos(angle) };
    }
    const row = Math.floor(beneath / inARow), inThis = Math.min(inARow, below - row * inARow);
    const x = (width * (beneath++ % inARow + 0.5)) / inThis;
    return { x, y: bottom + row * (kNodeHeight + kGap) };
  });
  const lowest = Math.max(...places.map(({ y }) => y));
  return { places, width, height: lowest + top };
}

const kBeside = 4; // of the line between two nodes, so that there and back are two arrows
const kFree = 2;   // between an arrow and a node's edge

// From edge to edge; null where the two nodes are one.
export function arrow(a: Place, b: Place): { from: Place; to: Place } | null {
  const length = Math.hypot(b.x - a.x, b.y - a.y);
  if (length === 0) return null;
  const along = { x: (b.x - a.x) / length, y: (b.y - a.y) / length };
  const reach = kFree + Math.min(kNodeWidth / 2 / Math.abs(along.x), kNodeHeight / 2 / Math.abs(along.y));
  const edge = (p: Place, sign: number) =>
    ({ x: p.x + sign * along.x * reach - kBeside * along.y, y: p.y + sign * along.y * reach + kBeside * along.x });
  return { from: edge(a, 1), to: edge(b, -1) };
}
