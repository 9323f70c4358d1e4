import type { z } from 'zod';
import { type Answer, ask, jsonOf, type Question } from './ask.ts';

/** REST calls with one token. */
export class Caller {
  readonly #web: string;
  readonly token: string;
  readonly from: string | undefined;

  constructor(web: string, token: string, from?: string) {
    this.#web = web;
    this.token = token;
    this.from = from;
  }

  ask(method: string, path: string, body?: unknown, more: Question = {}): Promise<Answer> {
    return ask(this.#web, `/api${path}`, { from: this.from, token: this.token, method, body, ...more });
  }

  /** For calls that must succeed; throws otherwise. */
  async get<T>(schema: z.ZodType<T>, method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.ask(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return schema.parse(jsonOf(answer));
  }

  async send(method: string, path: string, body?: unknown): Promise<void> {
    const answer = await this.ask(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  }
}
