import fc from 'fast-check';
import { expect, test } from 'vitest';
import { closesCycle, findCircle } from './task-graph.ts';

test('an edge from a task to itself is a circle', () => {
  expect(closesCycle(new Map(), 'a', ['a'])).toBe(true);
});

test('a chain that returns is a circle, one that ends is not', () => {
  const graph = new Map([
    ['b', ['c']],
    ['c', ['d']],
  ]);
  expect(closesCycle(graph, 'd', ['b'])).toBe(true);
  expect(closesCycle(graph, 'a', ['b', 'd'])).toBe(false);
});

test('a graph without a circle stays so when edges that close a circle are refused', () => {
  const nodes = ['a', 'b', 'c', 'd', 'e', 'f'];
  const edge = fc.tuple(fc.constantFrom(...nodes), fc.constantFrom(...nodes));
  fc.assert(
    fc.property(fc.array(edge, { maxLength: 60, size: 'max' }), (edges) => {
      const graph = new Map<string, string[]>();
      for (const [from, to] of edges)
        if (!closesCycle(graph, from, [to])) graph.set(from, [...(graph.get(from) ?? []), to]);
      expect(isSortable(graph, nodes)).toBe(true);
    }),
  );
});

/** Kahn's algorithm: remove tasks without edges until none is left. */
test('a circle is found exactly where there is one', () => {
  const nodes = ['a', 'b', 'c', 'd', 'e', 'f'];
  const targets = fc.subarray(nodes, { maxLength: 3 });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(...nodes), targets), { maxLength: 8 }), (edges) => {
      const graph = new Map(edges);
      expect(findCircle(graph) === undefined).toBe(isSortable(graph, nodes));
    }),
  );
});

function isSortable(graph: ReadonlyMap<string, readonly string[]>, nodes: readonly string[]): boolean {
  let left = [...nodes];
  for (;;) {
    const next = left.filter((node) => (graph.get(node) ?? []).some((to) => left.includes(to)));
    if (next.length === 0) return true;
    if (next.length === left.length) return false;
    left = next;
  }
}
