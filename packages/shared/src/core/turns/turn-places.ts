import { Turnstile, type TurnstileLimits } from '../../platform/http/turnstile.ts';

const REFUSAL = 'Too many turns at once. Wait for the end of one, or stop it.';
/** At once in one process; who comes too many is refused, and does not wait. */
const TURNS: TurnstileLimits = { perCaller: 4, total: 64, waiting: 0, refusal: REFUSAL };
/** The images of a turn, up to 25 MiB, stay in memory until the model has answered. */
const WITH_IMAGES: TurnstileLimits = { perCaller: 2, total: 8, waiting: 0, refusal: REFUSAL };

/** Bounds the turns that run, by person: their clients are named by whoever asks. */
export class TurnPlaces {
  readonly #turns = new Turnstile(TURNS);
  readonly #withImages = new Turnstile(WITH_IMAGES);

  /** Returns how to leave; a second call does nothing. @throws AppError rate_limited */
  async enter(personId: string, hasImages: boolean): Promise<() => void> {
    const leaves: (() => void)[] = [];
    const leave = () => {
      for (const one of leaves.splice(0)) one();
    };
    try {
      await this.#turns.enter(personId, (one) => leaves.push(one));
      if (hasImages) await this.#withImages.enter(personId, (one) => leaves.push(one));
      return leave;
    } catch (error) {
      leave();
      throw error;
    }
  }
}
