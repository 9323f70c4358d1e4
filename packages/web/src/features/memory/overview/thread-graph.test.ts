import { expect, test } from 'vitest';
import { threadGraph } from './thread-graph.ts';

const event = (id: string, ...threadKeys: string[]) => ({
  id,
  at: '2026-11-01T00:00:00Z',
  text: id,
  threadKeys,
});

test('the longest thread is the first line, and an event of two threads connects them', () => {
  const graph = threadGraph({
    events: [event('a', 'house'), event('b', 'garden'), event('c', 'garden', 'house'), event('d', 'garden')],
    links: [
      { fromEventId: 'd', toEventId: 'b', label: 'continuation', confidence: 1 },
      { fromEventId: 'd', toEventId: 'elsewhere', label: 'same_topic', confidence: 1 },
    ],
  });
  expect(graph.rows.map(({ key, count }) => [key, count])).toEqual([
    ['garden', 3],
    ['house', 2],
  ]);
  expect(graph.dots).toHaveLength(5);
  expect(graph.joints.map(({ id }) => id)).toEqual(['c']);
  expect(graph.arcs).toHaveLength(1);
  const [garden] = graph.rows;
  expect(garden?.from).toBeLessThan(garden?.to ?? 0);
});

test('of very many threads and events the longest and the newest are drawn', () => {
  const events = Array.from({ length: 100 }, (_one, index) => event(`e${index}`, `t${index % 12}`, 'all'));
  const graph = threadGraph({ events, links: [] });
  expect(graph.rows.length).toBeLessThanOrEqual(8);
  expect(graph.rows[0]?.key).toBe('all');
  expect(new Set(graph.dots.map(({ id }) => id)).has('e99')).toBe(true);
  expect(Math.max(...graph.dots.map(({ x }) => x))).toBeLessThanOrEqual(graph.width);
  expect(threadGraph({ events: [], links: [] }).rows).toEqual([]);
});
