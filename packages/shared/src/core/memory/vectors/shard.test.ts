import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Shard, type ShardRow } from './shard.ts';

const ALL = { projectId: undefined, asOf: null };
const row = (documentId: number, more: Partial<ShardRow> = {}): ShardRow => ({
  documentId,
  seq: documentId,
  projectId: null,
  createdAt: 0,
  ...more,
});
const at = (angle: number) => Float32Array.of(Math.cos(angle), Math.sin(angle));
/** More than a MiB of vectors of two numbers. */
const LARGE = 300_000;

test('finds what a comparison of all finds, after any puts and removals', () => {
  const step = fc.record({
    documentId: fc.integer({ min: 1, max: 30 }),
    angle: fc.integer({ min: 0, max: 60 }),
    isRemoved: fc.boolean(),
    projectId: fc.constantFrom(null, 'a', 'b'),
    createdAt: fc.integer({ min: 0, max: 3 }),
  });
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 80, size: 'max' }),
      fc.integer({ min: 1, max: 8 }),
      (steps, limit) => {
        const shard = new Shard(2);
        const kept = new Map<number, { angle: number; row: ShardRow }>();
        for (const { documentId, angle, isRemoved, ...more } of steps) {
          if (isRemoved) {
            shard.remove(documentId);
            kept.delete(documentId);
          } else {
            shard.put(row(documentId, more), at(angle / 40));
            kept.set(documentId, { angle, row: row(documentId, more) });
          }
        }
        const expected = [...kept.values()]
          .filter(({ row: { projectId, createdAt } }) => projectId !== 'b' && createdAt <= 2)
          .sort((a, b) => a.angle - b.angle || b.row.documentId - a.row.documentId)
          .slice(0, limit)
          .map(({ row: { documentId } }) => documentId);
        expect(shard.nearest(at(0), { projectId: 'a', asOf: 2 }, limit)).toEqual(expected);
        expect(shard.size).toBe(kept.size);
      },
    ),
  );
});

test('rows of many blocks are found, replaced and removed', () => {
  const shard = new Shard(2);
  // Where a small difference of the angle is a large one of the similarity.
  const query = at(-0.5);
  for (let id = 1; id <= LARGE; id += 1) shard.put(row(id), at(id / LARGE));
  expect(shard.nearest(query, ALL, 3)).toEqual([1, 2, 3]);
  shard.put(row(LARGE, { seq: 99_999 }), at(0));
  expect(shard.nearest(query, ALL, 2)).toEqual([LARGE, 1]);
  expect(shard.seqOf(LARGE)).toBe(99_999);
  for (let id = 1; id < LARGE; id += 1) shard.remove(id);
  expect(shard.nearest(query, ALL, 2)).toEqual([LARGE]);
  const { bytes } = shard;
  shard.remove(LARGE);
  expect([bytes > 0, shard.bytes]).toEqual([true, 0]);
});

test('takes about as many bytes as its vectors', () => {
  const shard = new Shard(384);
  const vector = new Float32Array(384).fill(1);
  const bytesWith: number[] = [];
  for (let id = 1; id <= 2_000; id += 1) {
    shard.put(row(id), vector);
    if ([10, 100, 2_000].includes(id)) bytesWith.push(shard.bytes / vector.byteLength);
  }
  const [ten = 0, hundred = 0, many = 0] = bytesWith;
  expect([ten <= 20, hundred <= 200, many <= 3_000]).toEqual([true, true, true]);
});

test('what is general is seen from every project, a project only from itself', () => {
  const shard = new Shard(2);
  for (const [id, projectId] of [null, 'a', 'b'].entries()) shard.put(row(id, { projectId }), at(id));
  expect(shard.nearest(at(0), { projectId: 'b', asOf: null }, 5)).toEqual([0, 2]);
  expect(shard.nearest(at(0), { projectId: null, asOf: null }, 5)).toEqual([0]);
  expect(shard.nearest(at(0), ALL, 5)).toEqual([0, 1, 2]);
});
