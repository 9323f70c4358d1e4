import { AppError } from './errors.ts';

/**
 * Counts and limits how many attempts of each key wait in this process. Own code: p-limit and p-queue have no
 * keys and let any number wait.
 */
export class Waiting {
  readonly #counts = new Map<string, number>();

  /** @throws AppError rate_limited when `most` of this key wait already. */
  async during<T>(key: string, most: number, work: () => Promise<T>): Promise<T> {
    const count = this.#counts.get(key) ?? 0;
    if (count >= most)
      throw new AppError('rate_limited', 'Too many sign-ins are waiting. Try again in a moment.', {
        retryAfterSeconds: 1,
      });
    this.#counts.set(key, count + 1);
    try {
      return await work();
    } finally {
      const left = (this.#counts.get(key) ?? 1) - 1;
      if (left === 0) this.#counts.delete(key);
      else this.#counts.set(key, left);
    }
  }
}
