import { expect, test } from 'vitest';
import { type IdHolder, mayHoldId } from './coordinator-id.ts';

const NOW = new Date('2026-11-22T12:00:00Z');
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1_000);
const me = { host: 'a', bootId: 'boot-1', instanceId: 'home-1' };
const held = (changes: Partial<IdHolder> = {}): IdHolder => ({
  ...me,
  lastSeenAt: ago(1),
  lostAt: null,
  ...changes,
});

test.each<[string, Partial<IdHolder>, boolean]>([
  ['itself', {}, true],
  ['itself, started anew after a minute', { lastSeenAt: ago(60) }, true],
  ['itself, under another host name', { host: 'old-name' }, true],
  ['another host', { host: 'b', bootId: 'boot-2', instanceId: 'home-2' }, false],
  ['another host of the same name', { bootId: 'boot-2', instanceId: 'home-2' }, false],
  ['another home on this host', { instanceId: 'home-2' }, false],
  ['another home, silent but not given up', { instanceId: 'home-2', lastSeenAt: ago(600) }, false],
  ['another host, given up', { host: 'b', bootId: 'boot-2', instanceId: 'home-2', lostAt: ago(0) }, true],
  ['a copy of this home that lives', { bootId: 'boot-2' }, false],
  ['this home before a reboot', { bootId: 'boot-2', lastSeenAt: ago(15) }, true],
  ['this home on another host', { host: 'b', bootId: 'boot-2', lastSeenAt: ago(600) }, false],
  ['an earlier version of this one', { instanceId: null }, true],
  ['an earlier version before a reboot', { instanceId: null, bootId: 'boot-2', lastSeenAt: ago(15) }, true],
  ['an earlier version elsewhere', { instanceId: null, host: 'b' }, false],
])('the id of %s', (_who, holder, may) => {
  expect(mayHoldId(held(holder), me, NOW)).toBe(may);
});

test('a Coordinator without a home is identified by host and boot, and differs from one that names a home', () => {
  const nameless = { ...me, instanceId: null };
  expect(mayHoldId(held({ instanceId: null }), nameless, NOW)).toBe(true);
  expect(mayHoldId(held({ instanceId: null, bootId: 'boot-2' }), nameless, NOW)).toBe(false);
  expect(mayHoldId(held(), nameless, NOW)).toBe(false);
});
