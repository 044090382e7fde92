import assert from 'node:assert/strict';
import test from 'node:test';
import { arrow, checkedGraph, kNodeHeight, kNodeWidth, layOut } from './graph';
import type { Graph } from './schema';
import * as fake from '../../tests/browser/fake.mjs';

const good = fake.graphRun.graph as Graph;
const styles = fake.graphRun.styles.length;

test('a graph is taken as it is; anything else is none', () => {
  assert.deepEqual(checkedGraph(good, styles), good);
  const [first, ...others] = good.nodes;
  for (const bad of [
    undefined, null, 3, [], {}, { nodes: [], links: [] }, { nodes: {}, links: [] }, { ...good, links: null },
    { ...good, nodes: [{ ...first, name: 3 }, ...others] },
    { ...good, nodes: [{ ...first, style: 1.5 }, ...others] },
    { ...good, nodes: [{ ...first, style: styles }, ...others] },
    { ...good, nodes: [{ ...first, robustness: 2 }, ...others] },
    { ...good, nodes: [{ ...first, robustness: 'red' }, ...others] },
    { ...good, nodes: [null, ...others] },
    { ...good, links: [{ from: 0, to: 4, robustness: 1 }] },
    { ...good, links: [{ from: -1, to: 0, robustness: 1 }] },
    { ...good, nodes: Array(1000).fill(first) }, { ...good, node_channel: undefined }, { ...good, down_channel: 3 },
  ]) assert.equal(checkedGraph(bad, styles), null, JSON.stringify(bad)?.slice(0, 80));
});

test('nodes lie apart and within the picture, the first amid those that can be asked for', () => {
  for (const [asked, rising] of [[0, 0], [1, 1], [9, 4], [16, 5], [40, 19]]) {
    const node = (style: number) => ({ name: 'n', style, robustness: null });
    const nodes = [node(1), ...Array(asked).fill(node(2)), ...Array(rising).fill(node(0))];
    const { places, width, height } = layOut({ nodes, links: [], node_channel: '', down_channel: '' });
    places.forEach((a, i) => {
      assert.ok(a.x >= kNodeWidth / 2 && a.x <= width - kNodeWidth / 2 && a.y >= kNodeHeight / 2 && a.y <= height - kNodeHeight / 2);
      places.slice(i + 1).forEach((b) => {
        const apart = Math.abs(a.x - b.x) >= kNodeWidth || Math.abs(a.y - b.y) >= kNodeHeight;
        assert.ok(apart, `${asked} and ${rising}: ${JSON.stringify([a, b])}`);
      });
    });
    for (const below of places.slice(1 + asked)) {
      for (const other of places.slice(0, 1 + asked)) assert.ok(below.y > other.y);
    }
  }
});

test('arrows there and back are two, from edge to edge', () => {
  const a = { x: 0, y: 0 }, b = { x: 200, y: 0 };
  const there = arrow(a, b)!, back = arrow(b, a)!;
  assert.ok(there.from.x > kNodeWidth / 2 && there.to.x < 200 - kNodeWidth / 2);
  assert.ok(there.from.y * back.from.y < 0);
  assert.equal(arrow(a, a), null);
});
