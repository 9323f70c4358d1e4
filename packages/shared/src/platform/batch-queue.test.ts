import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BatchQueue } from './batch-queue.ts';

interface Item {
  readonly key: string;
  readonly n: number;
}

async function noneAlone(): Promise<never> {
  throw new Error('nothing here is done alone');
}

/** A queue whose runs end when the test decides it. */
function heldQueue(limits: { maxItems?: number; maxRuns?: number } = {}) {
  const runs: { items: readonly Item[]; end: (error?: Error) => void }[] = [];
  const queue = new BatchQueue<Item, string>({
    run: (items) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error) =>
          error ? reject(error) : resolve(items.map(({ key, n }) => `${key}${n}`));
        runs.push({ items, end });
      }),
    runAlone: noneAlone,
    keyOf: ({ key }) => key,
    maxItems: limits.maxItems ?? 10,
    maxRuns: limits.maxRuns ?? 2,
  });
  return { queue, runs, nextTurn: () => new Promise((resolve) => setImmediate(resolve)) };
}

const numbers = (run: { items: readonly Item[] } | undefined) => run?.items.map(({ n }) => n);

describe('a batch queue', () => {
  it('it runs one item at once, and items of the same turn together', async () => {
    const { queue, runs, nextTurn } = heldQueue();
    const first = queue.add({ key: 'a', n: 1 });
    const second = queue.add({ key: 'b', n: 2 });
    await nextTurn();
    expect(runs.map(numbers)).toEqual([[1, 2]]);
    runs[0]?.end();
    expect(await Promise.all([first, second])).toEqual(['a1', 'b2']);
  });

  it('it collects items while as many runs as allowed are under way, at most maxItems', async () => {
    const { queue, runs, nextTurn } = heldQueue({ maxItems: 2, maxRuns: 1 });
    const all = [1, 2, 3, 4].map((n) => queue.add({ key: `k${n}`, n }));
    await nextTurn();
    expect(runs.map(numbers)).toEqual([[1, 2]]);
    runs[0]?.end();
    await Promise.all(all.slice(0, 2));
    await nextTurn();
    expect(runs.map(numbers)).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it('it keeps a key out of a second run', async () => {
    const { queue, runs, nextTurn } = heldQueue();
    void queue.add({ key: 'a', n: 1 });
    await nextTurn();
    void queue.add({ key: 'a', n: 2 });
    const other = queue.add({ key: 'b', n: 3 });
    await nextTurn();
    expect(runs.map(numbers)).toEqual([[1], [3]]);
    runs[1]?.end();
    await other;
    await nextTurn();
    expect(runs).toHaveLength(2);
    runs[0]?.end();
    await nextTurn();
    await nextTurn();
    expect(runs.map(numbers)).toEqual([[1], [3], [2]]);
  });

  it('a run that fails fails only its own items', async () => {
    const { queue, runs, nextTurn } = heldQueue({ maxRuns: 1 });
    const failing = queue.add({ key: 'a', n: 1 });
    await nextTurn();
    const next = queue.add({ key: 'a', n: 2 });
    runs[0]?.end(new Error('the database is away'));
    await expect(failing).rejects.toThrow('the database is away');
    await nextTurn();
    runs[1]?.end();
    expect(await next).toBe('a2');
  });

  it('an item that has to be done alone keeps its place among those of its key, and no run waits for it', async () => {
    const alone: { n: number; end: () => void }[] = [];
    const stored: string[] = [];
    const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
    const queue = new BatchQueue<Item & { isAlone?: boolean }, string>({
      run: async (items) =>
        items.map(({ key, n, isAlone }) => {
          if (isAlone) return null;
          stored.push(`${key}${n}`);
          return `${key}${n}`;
        }),
      runAlone: ({ key, n }) =>
        new Promise((resolve) => {
          const end = () => {
            stored.push(`${key}${n}`);
            resolve(`${key}${n}`);
          };
          alone.push({ n, end });
        }),
      keyOf: ({ key }) => key,
      maxItems: 10,
      maxRuns: 1,
    });
    const first = [1, 2].map((n) => queue.add({ key: 'a', n, isAlone: true }));
    await nextTurn();
    const behind = queue.add({ key: 'a', n: 3 });
    expect(await queue.add({ key: 'b', n: 4 })).toBe('b4');
    expect(alone.map(({ n }) => n)).toEqual([1]);
    alone[0]?.end();
    expect(await first[0]).toBe('a1');
    await nextTurn();
    expect(alone.map(({ n }) => n)).toEqual([1, 2]);
    alone[1]?.end();
    expect(await Promise.all([first[1], behind])).toEqual(['a2', 'a3']);
    expect(stored).toEqual(['b4', 'a1', 'a2', 'a3']);
  });

  it('each item gets its own result, in the order of each key, for any order of arrival', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({ key: fc.constantFrom('a', 'b', 'c'), turns: fc.nat(2), isAlone: fc.boolean() }),
          { maxLength: 60, size: 'max' },
        ),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 3 }),
        async (adds, maxItems, maxRuns) => {
          const order = new Map<string, number[]>();
          let underWay = 0;
          const note = ({ key, n }: Item) => order.set(key, [...(order.get(key) ?? []), n]);
          const queue = new BatchQueue<Item & { isAlone: boolean }, number>({
            async run(items) {
              underWay += 1;
              expect(underWay).toBeLessThanOrEqual(maxRuns);
              expect(items.length).toBeLessThanOrEqual(maxItems);
              await new Promise((resolve) => setImmediate(resolve));
              const left = new Set<string>();
              underWay -= 1;
              return items.map((item) => {
                if (item.isAlone) left.add(item.key);
                if (left.has(item.key)) return null;
                note(item);
                return item.n;
              });
            },
            async runAlone(item) {
              await new Promise((resolve) => setImmediate(resolve));
              note(item);
              return item.n;
            },
            keyOf: ({ key }) => key,
            maxItems,
            maxRuns,
          });
          const answers: Promise<number>[] = [];
          for (const [n, { key, turns, isAlone }] of adds.entries()) {
            answers.push(queue.add({ key, n, isAlone }));
            for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
          }
          expect(await Promise.all(answers)).toEqual(adds.map((_, n) => n));
          for (const seen of order.values()) expect(seen).toEqual(seen.toSorted((a, b) => a - b));
        },
      ),
      { numRuns: 50 },
    );
  });
});
