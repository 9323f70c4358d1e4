import { AppError } from '../errors.ts';

export interface TurnstileLimits {
  /** Of one caller at once. */
  readonly perCaller: number;
  /** Of all callers at once. */
  readonly total: number;
  /** Of one caller that may wait. */
  readonly waiting: number;
  /** Told to a caller of which too many wait. */
  readonly refusal?: string;
}

/**
 * Answers of up to some MiB each: this many are in memory, from their reading until their clients have
 * received them.
 */
export const LARGE_ANSWERS: TurnstileLimits = { perCaller: 4, total: 64, waiting: 100 };

const REFUSAL = 'Too many large answers at once. Wait for those that you have asked for.';

interface Waiter {
  readonly caller: string;
  readonly go: () => void;
  readonly giveUp: (error: AppError) => void;
}

/**
 * Admits a limited number at once, and no caller more than its share; the others wait in their order. Own
 * code: p-queue has no callers.
 */
export class Turnstile {
  readonly #limits: TurnstileLimits;
  readonly #inside = new Map<string, number>();
  #waiters: Waiter[] = [];
  #count = 0;

  constructor(limits: TurnstileLimits) {
    this.#limits = limits;
  }

  /**
   * Resolves when the caller is admitted; it keeps its place until `whenGone` calls back. @throws AppError
   * unavailable: the caller has left while it waited; rate_limited: too many of its calls wait already.
   */
  async enter(caller: string, whenGone: (leave: () => void) => void): Promise<void> {
    if (!this.#hasRoomFor(caller)) {
      if (this.#waitersOf(caller) >= this.#limits.waiting)
        throw new AppError('rate_limited', this.#limits.refusal ?? REFUSAL, { retryAfterSeconds: 1 });
      await new Promise<void>((go, giveUp) => {
        const waiter = { caller, go, giveUp };
        this.#waiters.push(waiter);
        whenGone(() => this.#giveUp(waiter));
      });
      return;
    }
    this.#admit(caller);
    whenGone(() => this.#leave(caller));
  }

  #hasRoomFor(caller: string): boolean {
    return this.#count < this.#limits.total && (this.#inside.get(caller) ?? 0) < this.#limits.perCaller;
  }

  #waitersOf(caller: string): number {
    return this.#waiters.filter((waiter) => waiter.caller === caller).length;
  }

  #admit(caller: string): void {
    this.#count += 1;
    this.#inside.set(caller, (this.#inside.get(caller) ?? 0) + 1);
  }

  /** The caller left while it waited, or after it was admitted. */
  #giveUp(waiter: Waiter): void {
    const index = this.#waiters.indexOf(waiter);
    if (index === -1) this.#leave(waiter.caller);
    else {
      this.#waiters.splice(index, 1);
      waiter.giveUp(new AppError('unavailable', 'The caller has gone.'));
    }
  }

  #leave(caller: string): void {
    this.#count -= 1;
    const left = (this.#inside.get(caller) ?? 1) - 1;
    if (left > 0) this.#inside.set(caller, left);
    else this.#inside.delete(caller);
    const next = this.#waiters.find((waiter) => this.#hasRoomFor(waiter.caller));
    if (!next) return;
    this.#waiters = this.#waiters.filter((waiter) => waiter !== next);
    this.#admit(next.caller);
    next.go();
  }
}
