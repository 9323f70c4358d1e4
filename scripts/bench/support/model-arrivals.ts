import { lastSaid, type ModelScript } from '../../../tests/fixtures/fake-anthropic.ts';

/** A scripted model that answers everything at once, and tells when it was asked. */
export class ModelArrivals {
  readonly #waiting = new Map<string, (at: number) => void>();

  readonly script: ModelScript = (request) => {
    const at = performance.now();
    this.#waiting.get(lastSaid(request))?.(at);
    return { text: 'Yes, I am here.' };
  };

  /** Resolves with the moment at which the model was asked with this text, which must be used once. */
  of(text: string): Promise<number> {
    return new Promise((resolve) => this.#waiting.set(text, resolve));
  }
}
