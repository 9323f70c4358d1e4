import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cursorAt, decodeCursor, encodeCursor, type LogCursor } from './log-cursor.ts';

const NOW = Date.UTC(2026, 10, 21);
const HOUR = 3_600_000;
const EPOCH = '0123456789ab';

const cursors = fc
  .record({
    from: fc.bigInt({ min: 0n, max: 2n ** 63n }),
    length: fc.bigInt({ min: 0n, max: 1_000_000n }),
    afterId: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
    age: fc.integer({ min: 0, max: 46 * HOUR }),
    epoch: fc.constantFrom(EPOCH, 'ffffffffffff'),
  })
  .map(
    ({ from, length, afterId, age, epoch }): LogCursor => ({
      from: String(from),
      to: String(from + length),
      afterId,
      at: NOW - age,
      epoch,
    }),
  );

test('a cursor is decoded to what was encoded', () => {
  fc.assert(
    fc.property(cursors, (cursor) => {
      expect(decodeCursor(encodeCursor(cursor), NOW)).toEqual(cursor);
    }),
  );
});

test('text order is log order: by batch, then by entry', () => {
  fc.assert(
    fc.property(cursors, cursors, (a, b) => {
      const order =
        BigInt(a.to) === BigInt(b.to) ? a.afterId - b.afterId : Number(BigInt(a.to) - BigInt(b.to));
      fc.pre(order !== 0);
      expect(encodeCursor(a) < encodeCursor(b)).toBe(order < 0);
    }),
  );
});

test('the end of a batch comes after its frames and before the next batch', () => {
  const frame = encodeCursor({ from: '100', to: '200', afterId: 7, at: NOW, epoch: EPOCH });
  const end = encodeCursor(cursorAt({ xid: '200', at: NOW, epoch: EPOCH }));
  const next = encodeCursor({ from: '200', to: '201', afterId: 3, at: NOW, epoch: EPOCH });
  expect([next, end, frame].toSorted()).toEqual([frame, end, next]);
});

test.each([
  '',
  'x',
  '0'.repeat(65),
  `${'9'.repeat(65)}`,
  `${encodeCursor(cursorAt({ xid: '5', at: NOW, epoch: EPOCH }))}0`,
])('a text that is not a cursor of ours is refused: %s', (text) => {
  const decoded = decodeCursor(text, NOW);
  expect(decoded === undefined || BigInt(decoded.from) > 2n ** 63n).toBe(true);
});

test('a cursor older than the log is not accepted', () => {
  const text = encodeCursor(cursorAt({ xid: '5', at: NOW, epoch: EPOCH }));
  expect(decodeCursor(text, NOW + 46 * HOUR)).toBeDefined();
  expect(decodeCursor(text, NOW + 47 * HOUR)).toBeUndefined();
});
