const WINDOW_MS = 60_000;
/** Keys are forgotten when there are this many, those that were used longest ago first. */
const MAX_KEYS = 10_000;

/**
 * How often something may be started early, by key and minute; in the memory of this process, as it protects against a
 * pointer that moves over a list and not against people.
 */
export class WarmingQuota {
  readonly #perMinute: number;
  readonly #taken = new Map<string, readonly number[]>();

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /** False: no more in this minute. `now` in milliseconds. */
  take(key: string, now: number): boolean {
    const recent = (this.#taken.get(key) ?? []).filter((at) => now - at < WINDOW_MS);
    if (recent.length >= this.#perMinute) return false;
    // Moved behind the others.
    this.#taken.delete(key);
    const [oldest] = this.#taken.keys();
    if (this.#taken.size >= MAX_KEYS && oldest !== undefined) this.#taken.delete(oldest);
    this.#taken.set(key, [...recent, now]);
    return true;
  }
}
