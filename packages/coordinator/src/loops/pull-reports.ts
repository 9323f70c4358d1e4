import { isDeepStrictEqual } from 'node:util';

export interface Pulling {
  readonly run_id: string;
  readonly percent: number;
}

/** How far the images are that runs wait for: told with the beats, all of them when anything about them has changed. */
export class PullReports {
  readonly #pulling: () => readonly Pulling[];
  #told: readonly Pulling[] = [];
  #isUnderstood = true;

  constructor(pulling: () => readonly Pulling[]) {
    this.#pulling = pulling;
  }

  /** Somebody may look at it. */
  get isAny(): boolean {
    return this.#isUnderstood && this.#pulling().length > 0;
  }

  /** Undefined: what was told is still so. */
  changed(): Pulling[] | undefined {
    const pulling = this.#pulling();
    return this.#isUnderstood && !isDeepStrictEqual(pulling, this.#told) ? [...pulling] : undefined;
  }

  /** The server has this. */
  told(pulling: readonly Pulling[]): void {
    this.#told = pulling;
  }

  /** The server is of a release that refuses what it does not know: it is not told any more. */
  notUnderstood(): void {
    this.#isUnderstood = false;
  }
}
