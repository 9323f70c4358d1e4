import type { HostProgram, ProgramsOfHosts } from '@aizuchi/shared/contract/programs';
import { expect, test } from 'vitest';
import { statusOf } from './program-status.ts';

type Host = ProgramsOfHosts['hosts'][number];
const host = (name: string, programs: HostProgram[], more: Partial<Host> = {}): Host => ({
  coordinatorId: name,
  host: name,
  isLooking: false,
  seenAt: '2026-01-01T00:00:00.000Z',
  programs,
  ...more,
});
const unseen = (more: Partial<Host> = {}) => host('away', [], { seenAt: null, ...more });
const none = host('lab', [{ id: 'gemini', state: 'not_found' }]);
const ready = host('mac', [{ id: 'gemini', state: 'found', version: '0.61.0', isSignedIn: true }]);
const status = (...hosts: Host[]) => statusOf({ hosts }, 'gemini');

test('what is not known is not said to be missing', () => {
  expect(statusOf(undefined, 'gemini')).toBeUndefined();
  expect(status()).toEqual({ kind: 'no_host' });
  expect(status(unseen())).toEqual({ kind: 'unknown' });
  expect(status(unseen({ isLooking: true }))).toEqual({ kind: 'looking' });
  expect(status(none, unseen())).toEqual({ kind: 'unknown' });
  expect(status(none)).toMatchObject({ kind: 'known', fitness: 'not_found', host: 'lab' });
  // A Coordinator that does not know of this program.
  expect(status(host('old', [{ id: 'claude', state: 'not_found' }]))).toEqual({ kind: 'unknown' });
});

test('one host that has it is enough, also while others look', () => {
  expect(status(none, unseen({ isLooking: true }), ready)).toMatchObject({
    kind: 'known',
    fitness: 'ready',
    host: 'mac',
  });
});
