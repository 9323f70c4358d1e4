import { expect, it } from 'vitest';
import { parseCursor } from './page.ts';

const at = (iso: string) => `${Date.parse(iso).toString(36)}.tsk_1`;

it.each(['0001-01-01T00:00:00.000Z', '1969-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'])(
  'a cursor of %s is the place that it was made for',
  (iso) => {
    expect(parseCursor(at(iso))).toEqual({ createdAt: new Date(iso), id: 'tsk_1' });
  },
);

it.each([
  '',
  'nonsense',
  'zz',
  '.tsk_1',
  '-.tsk_1',
  'abc.',
  'abc.TSK',
  // The years -113890 and 10000, and an instant that not even JavaScript has.
  '-zzzzzzzzzz.tsk_1',
  at('+010000-01-01T00:00:00.000Z'),
  'zzzzzzzzzzz.tsk_1',
])('the cursor %j was not made here', (cursor) => {
  expect(() => parseCursor(cursor)).toThrow(expect.objectContaining({ code: 'invalid_input' }));
});
