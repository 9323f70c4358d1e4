import { constants } from 'node:os';
import type { Logger } from '@aizuchi/shared/platform/logger';
import { type DockerEngine, EngineRefused, EngineUnreachable } from './docker-engine.ts';

const SIGNALLED = 128;
const NOT_FOUND = 404;
const CONFLICT = 409;
/** For a removal that somebody else has begun. */
const REMOVAL_MS = 10_000;

/** The engine answers that there is no such container. */
export function isNoContainer(error: unknown): boolean {
  return error instanceof EngineRefused && error.status === NOT_FOUND;
}

/** With its anonymous volumes. False when it is still there. */
export async function removeContainer(engine: DockerEngine, name: string, logger: Logger): Promise<boolean> {
  try {
    await engine
      .call({ method: 'DELETE', path: `/containers/${name}`, query: { force: '1', v: '1' } })
      .catch((error: unknown) => {
        if (isBeingRemoved(error)) return removedByAnother(engine, name);
        throw error;
      });
    return true;
  } catch (error) {
    if (isNoContainer(error)) return true;
    if (!(error instanceof EngineRefused || error instanceof EngineUnreachable)) throw error;
    logger.warn({ err: error, container: name }, 'container not removed');
    return false;
  }
}

/** As the engine words it; 409 is also its answer for a container that it cannot remove. */
function isBeingRemoved(error: unknown): boolean {
  return error instanceof EngineRefused && error.status === CONFLICT && /in progress/.test(error.message);
}

/** A Coordinator that was killed may have asked for it, or a call that was given up. */
async function removedByAnother(engine: DockerEngine, name: string): Promise<void> {
  const query = { condition: 'removed' };
  await engine.call({ method: 'POST', path: `/containers/${name}/wait`, query, timeoutMs: REMOVAL_MS });
}

/** An engine gives a number only: 128 and more is read as the signal that a shell means by it. */
export function codeAndSignal(code: number | undefined): { exitCode: number | null; signal: string | null } {
  const number = (code ?? 0) - SIGNALLED;
  const signal = Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
  return signal ? { exitCode: null, signal } : { exitCode: code ?? null, signal: null };
}
