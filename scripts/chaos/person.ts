import { setTimeout as sleep } from 'node:timers/promises';
import { type Message, messageSchema } from '@aizuchi/shared/contract/chat';
import type { MembershipKey } from '@aizuchi/shared/contract/run';
import { z } from 'zod';

/** Longer than any bounded operation: 5 s for a connection, 6 s for a statement, twice in a transaction. */
const ANSWER_WITHIN_MS = 20_000;
const RETRY_MS = 100;
/** Longer than any round keeps something unavailable. */
const GIVES_UP_AFTER_MS = 120_000;

/** The person gave up before the call was acknowledged. */
export class GaveUpError extends Error {}

/**
 * The client of a person, which behaves as the page: it repeats a call until it is answered. Records what a client
 * must never get: a failure that does not say when to retry, or no answer at all.
 */
export class Person {
  readonly #api: string;
  #token = '';
  #hasGivenUp = false;
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

  /** Each attempt has the same clientMessageId, so the message is stored once, however often it is sent. */
  write(membership: MembershipKey, content: string, clientMessageId: string): Promise<Message> {
    const path = `/projects/${membership.projectId}/agents/${membership.agentId}/chat/messages`;
    return this.call(messageSchema, 'POST', path, { content, clientMessageId });
  }

  async call<T>(schema: z.ZodType<T>, method: string, path: string, body?: object): Promise<T> {
    const deadline = performance.now() + GIVES_UP_AFTER_MS;
    while (!this.#hasGivenUp) {
      if (performance.now() > deadline)
        throw new Error(`${method} ${path} was not acknowledged in ${GIVES_UP_AFTER_MS / 1000} s`);
      const response = await this.once(method, path, body);
      if (response?.ok) return schema.parse(response.body);
      if (response !== undefined && response.status < 500)
        throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`);
      await sleep(RETRY_MS);
    }
    throw new GaveUpError();
  }

  /** Stops repeating calls that are not acknowledged: they reject with GaveUpError, until `resume`. */
  giveUp(): void {
    this.#hasGivenUp = true;
  }

  resume(): void {
    this.#hasGivenUp = false;
  }

  /** One attempt. Undefined if the connection was refused or cut: then it is unknown whether the request arrived. */
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
