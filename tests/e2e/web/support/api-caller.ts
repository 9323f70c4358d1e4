import { z } from 'zod';

const loginSchema = z.object({ token: z.string() });

/** Calls REST from outside with a bearer. */
export class ApiCaller {
  readonly #url: string;
  readonly #token: string;

  private constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  static async signIn(url: string, agentId: string, passkey: string): Promise<ApiCaller> {
    const answer = await call(`${url}/api/auth/login`, 'POST', { agentId, passkey });
    return new ApiCaller(url, loginSchema.parse(answer).token);
  }

  /** Returns the body of the answer; throws for every status but success. */
  async call<T>(schema: z.ZodType<T>, method: string, path: string, body?: unknown): Promise<T> {
    return schema.parse(await call(`${this.#url}/api${path}`, method, body, this.#token));
  }

  /** Stores events in the memory of an agent. */
  async importMemory(agentId: string, projectId: string, lines: readonly object[]): Promise<void> {
    const response = await fetch(`${this.#url}/api/memory/${agentId}/import?projectId=${projectId}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/x-ndjson' },
      body: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    });
    if (!response.ok) throw new Error(`import: ${response.status} ${await response.text()}`);
  }
}

async function call(url: string, method: string, body?: unknown, token?: string): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}
