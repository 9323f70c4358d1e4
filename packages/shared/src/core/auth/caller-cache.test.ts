import { expect, test } from 'vitest';
import { type Caller, CallerCache } from './caller-cache.ts';

const start = new Date('2026-01-01T00:00:00.000Z').getTime();

function setUp() {
  let now = start;
  const cache = new CallerCache({ now: () => new Date(now) });
  const at = (ms: number) => {
    now = start + ms;
  };
  return { cache, at };
}

function caller(id: string, expiresAt: Date | null = null): Caller {
  return { person: { id, name: id, accessLevel: 'member' }, csrfHash: null, expiresAt };
}

test('an entry is kept for less than two seconds', () => {
  const { cache, at } = setUp();
  cache.put('hash', caller('anna'), cache.ticket());
  at(1_999);
  expect(cache.get('hash')?.person.id).toBe('anna');
  at(2_000);
  expect(cache.get('hash')).toBeUndefined();
});

test('a token that expires meanwhile is not kept longer', () => {
  const { cache, at } = setUp();
  cache.put('hash', caller('anna', new Date(start + 500)), cache.ticket());
  at(500);
  expect(cache.get('hash')).toBeUndefined();
});

test('all tokens of one person are removed, and those of nobody else', () => {
  const { cache } = setUp();
  cache.put('one', caller('anna'), cache.ticket());
  cache.put('two', caller('anna'), cache.ticket());
  cache.put('three', caller('ben'), cache.ticket());
  cache.forget('anna');
  expect([cache.get('one'), cache.get('two')]).toEqual([undefined, undefined]);
  expect(cache.get('three')?.person.id).toBe('ben');
});

test('a read from before a revocation is not stored after it', () => {
  const { cache } = setUp();
  const ticket = cache.ticket();
  cache.forget('anna');
  cache.put('hash', caller('anna'), ticket);
  expect(cache.get('hash')).toBeUndefined();
});

test('setting the clock back keeps no entry alive', () => {
  const { cache, at } = setUp();
  cache.put('hash', caller('anna'), cache.ticket());
  at(-60_000);
  expect(cache.get('hash')).toBeUndefined();
});
