import { setTimeout as sleep } from 'node:timers/promises';
import { type Message, messageSchema } from '@aizuchi/shared/contract/chat';
import { z } from 'zod';

export interface Pair {
  readonly projectId: string;
  readonly agentId: string;
}

/** Longer than anything that is bounded takes: 5 s for a connection, 6 s for a statement, twice in a transaction. */
const ANSWER_WITHIN_MS = 20_000;
const RETRY_MS = 100;
/** Longer than any round takes something away. */
const GIVES_UP_AFTER_MS = 120_000;

/** Its person left before it was acknowledged. */
export class LeftAlone extends Error {}

/**
 * A person's client as a page is one: asks again until it is answered. Notes whatever a client must never see, an
 * answer that tells neither success nor when to come again, or none at all.
 */
export class Person {
  readonly #api: string;
  #token = '';
  #hasLeft = false;
  readonly complaints: string[] = [];

  constructor(url: string) {
    this.#api = `${url}/api`;
  }

  get token(): string {
    return this.#token;
  }

  async signIn(agentId: string, passkey: string): Promise<void> {
    const answer = z.object({ token: z.string() });
    this.#token = await this.call(answer, 'POST', '/auth/login', { agentId, passkey }).then(
      ({ token }) => token,
    );
  }

  /** The same clientMessageId each time: acknowledged once, however often it had to be sent. */
  write(pair: Pair, content: string, clientMessageId: string): Promise<Message> {
    const path = `/projects/${pair.projectId}/agents/${pair.agentId}/chat/messages`;
    return this.call(messageSchema, 'POST', path, { content, clientMessageId });
  }

  async call<T>(schema: z.ZodType<T>, method: string, path: string, body?: object): Promise<T> {
    const deadline = performance.now() + GIVES_UP_AFTER_MS;
    while (!this.#hasLeft) {
      if (performance.now() > deadline)
        throw new Error(`${method} ${path} was not acknowledged in ${GIVES_UP_AFTER_MS / 1000} s`);
      const response = await this.once(method, path, body);
      if (response?.ok) return schema.parse(response.body);
      if (response !== undefined && response.status < 500)
        throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`);
      await sleep(RETRY_MS);
    }
    throw new LeftAlone();
  }

  /** Gives up what was not acknowledged: whoever asks next hears LeftAlone, until `comesBack`. */
  leaves(): void {
    this.#hasLeft = true;
  }

  comesBack(): void {
    this.#hasLeft = false;
  }

  /** One try. Undefined when the connection was refused or cut: nobody knows whether it arrived. */
  async once(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ ok: boolean; status: number; body: unknown; tookMs: number } | undefined> {
    const startedAt = performance.now();
    try {
      const response = await fetch(this.#api + path, {
        method,
        headers: {
          authorization: `Bearer ${this.#token}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      });
      const text = await response.text();
      if (response.status === 503 ? !response.headers.has('retry-after') : response.status >= 500)
        this.complaints.push(`${method} ${path} answered ${response.status}: ${text}`);
      const { ok, status } = response;
      return {
        ok,
        status,
        body: text === '' ? null : JSON.parse(text),
        tookMs: performance.now() - startedAt,
      };
    } catch (error) {
      if (error instanceof DOMException && error.name === 'TimeoutError')
        this.complaints.push(`${method} ${path} was not answered within ${ANSWER_WITHIN_MS / 1000} s`);
      else if (!(error instanceof TypeError)) throw error;
      return undefined;
    }
  }
}
