import { describe, expect, it } from 'vitest';
import {
  MAX_CRASHES_PER_MESSAGE,
  MESSAGE_COMMANDS,
  MESSAGE_STATES,
  MESSAGE_TRANSITIONS,
  releaseOrFail,
} from './message-machine.ts';

describe('every cell of the message machine', () => {
  const allowed = [
    ['stored', 'deliver', 'delivered'],
    ['stored', 'fail', 'failed'],
    ['stored', 'hear_end', 'answered'],
    ['delivered', 'answer', 'answered'],
    ['delivered', 'release', 'stored'],
    ['delivered', 'fail', 'failed'],
    ['failed', 'retry', 'stored'],
  ];
  it.each(MESSAGE_STATES.flatMap((state) => MESSAGE_COMMANDS.map((command) => [state, command] as const)))(
    '%s × %s',
    (state, command) => {
      const cell = allowed.find(([from, by]) => from === state && by === command);
      expect(MESSAGE_TRANSITIONS[state][command]).toBe(cell?.[2] ?? null);
    },
  );
});

describe('a message whose session ended before answering', () => {
  it.each([0, 1, 2])(
    'is returned without a count when the session did not crash (%i crashes so far)',
    (crashes) => {
      expect(releaseOrFail(crashes, false)).toEqual({ state: 'stored', crashes });
    },
  );

  it('is returned after the first and the second crash, and fails with the third', () => {
    expect([0, 1, 2].map((crashes) => releaseOrFail(crashes, true))).toEqual([
      { state: 'stored', crashes: 1 },
      { state: 'stored', crashes: 2 },
      { state: 'failed', crashes: MAX_CRASHES_PER_MESSAGE },
    ]);
  });
});
