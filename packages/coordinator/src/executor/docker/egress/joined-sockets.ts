import type { Socket } from 'node:net';

/** Longer than a model is silent while it thinks. */
export const IDLE_MS = 10 * 60_000;

/**
 * Passes on what comes from either, and the end of each direction by itself. When one of them breaks, or nothing has come for
 * long, the other one ends too.
 */
export function joinSockets(near: Socket, far: Socket, idleMs = IDLE_MS): void {
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const) {
    one.setTimeout(idleMs, () => one.destroy());
    one.on('error', () => undefined);
    // With what was read of it.
    one.on('close', () => other.destroySoon());
    one.pipe(other);
  }
}
