const SEQUENCE_MS = 1_000;

export interface HandledKey {
  readonly key: string;
  /** By the clock of the page (`performance.now()`), as the times of its events. */
  readonly handledAt: number;
}

/**
 * Whether a key that was pressed then goes on after the first one. The time in which the page was busy does not count:
 * right after a page has been opened, both keys may wait longer than a person does between them.
 */
export function continues({ handledAt }: HandledKey, pressedAt: number): boolean {
  return pressedAt - handledAt < SEQUENCE_MS;
}
