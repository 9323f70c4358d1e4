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
    const begun = this.#last.then(() => ({ looked: resolve(name) }));
    const found = begun.then(({ looked }) => inTime(looked));
    this.#running.set(name, found);
    // Not before it has ended, however late: until then it has one of the few places that all runs share (resolve.ts).
    this.#last = begun
      .then(({ looked }) => looked)
      .catch(() => undefined)
      .finally(() => this.#running.delete(name));
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
