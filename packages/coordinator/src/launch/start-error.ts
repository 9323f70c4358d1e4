import type { SaidReason } from '../texts/run-errors.ts';

/** The run ends before it has begun; the message is for a person and says what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly said: SaidReason;

  constructor(said: SaidReason, options?: ErrorOptions) {
    super(said.text, options);
    this.said = said;
  }
}
