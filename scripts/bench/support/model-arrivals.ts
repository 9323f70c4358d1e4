import { lastSaid, type ModelScript } from '../../../tests/fixtures/fake-anthropic.ts';

/** A scripted model that answers everything at once, and tells when it was asked. */
export class ModelArrivals {
  readonly #waiting = new Map<string, (at: number) => void>();

  readonly script: ModelScript = (request) => {
    const at = performance.now();
    this.#waiting.get(messageOf(lastSaid(request)))?.(at);
    return { text: 'Yes, I am here.' };
  };

  /** Resolves with the moment at which the model was asked with this text, which must be used once. */
  of(text: string): Promise<number> {
    return new Promise((resolve) => this.#waiting.set(text, resolve));
  }
}

/** Without the memory that the product puts before a message as soon as the agent has one. */
function messageOf(said: string): string {
  return said.split('</memory>\n\n').at(-1) ?? said;
}
