import type { LookupAddress } from 'node:dns';
import type { Resolve } from './resolve.ts';

/** Names of one run that wait; a further one is refused. */
const MAX_WAITING = 16;
const LIMIT_MS = 10_000;

/** One name after the other, and each once for all that ask for it: no run holds up the names of another. */
export class OwnLookups {
  readonly #running = new Map<string, Promise<LookupAddress[]>>();
  #last: Promise<unknown> = Promise.resolve();

  resolve(name: string, resolve: Resolve): Promise<LookupAddress[]> {
    const same = this.#running.get(name);
    if (same) return same;
    if (this.#running.size >= MAX_WAITING) return Promise.reject(withCode('too many names at once'));
    const found = this.#last.then(() => inTime(resolve(name))).finally(() => this.#running.delete(name));
    this.#running.set(name, found);
    this.#last = found.catch(() => undefined);
    return found;
  }
}

/** A lookup cannot be ended: what it finds later is not used. */
async function inTime(found: Promise<LookupAddress[]>): Promise<LookupAddress[]> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(withCode('ETIMEDOUT')), LIMIT_MS);
  try {
    return await Promise.race([found, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function withCode(code: string): Error {
  return Object.assign(new Error(code), { code });
}
