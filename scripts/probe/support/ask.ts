import { once } from 'node:events';
import http from 'node:http';
import { z } from 'zod';

export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  readonly tookMs: number;
}

export interface Question {
  readonly method?: string;
  readonly headers?: http.OutgoingHttpHeaders;
  /** Sent as JSON; a string is sent unchanged. */
  readonly body?: unknown;
  readonly token?: string;
  /** Our own address: another address of loopback counts as another client. */
  readonly from?: string | undefined;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 35_000;
const pools = new Map<string, http.Agent>();

/** One HTTP call; the path is sent unchanged. Throws if there is no answer. */
export async function ask(base: string, path: string, question: Question = {}): Promise<Answer> {
  const startedAt = performance.now();
  const { body, token, from } = question;
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const request = http.request({
    ...addressOf(base),
    path,
    agent: poolOf(from),
    method: question.method ?? (text === undefined ? 'GET' : 'POST'),
    signal: AbortSignal.timeout(question.timeoutMs ?? TIMEOUT_MS),
    headers: {
      ...(text !== undefined && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...question.headers,
    },
  });
  const answered = once(request, 'response');
  request.end(text);
  const [response] = z.tuple([z.instanceof(http.IncomingMessage)]).parse(await answered);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: Buffer.concat(chunks).toString(),
    tookMs: performance.now() - startedAt,
  };
}

export function addressOf(base: string): { hostname: string; port: number } {
  const { hostname, port } = new URL(base);
  return { hostname: hostname.replaceAll(/[[\]]/g, ''), port: Number(port || '80') };
}

/** The body of the answer as JSON; undefined if it is not JSON. */
export function jsonOf({ text }: Pick<Answer, 'text'>): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `error.code` of a refusal. */
export function codeOf(answer: Pick<Answer, 'text'>): string | undefined {
  return z.object({ error: z.object({ code: z.string() }) }).safeParse(jsonOf(answer)).data?.error.code;
}

/** Many connections at once, kept open: 200 attackers need 200 connections. */
function poolOf(from: string | undefined): http.Agent {
  const key = from ?? '';
  const pool =
    pools.get(key) ?? new http.Agent({ keepAlive: true, ...(from !== undefined && { localAddress: from }) });
  pools.set(key, pool);
  return pool;
}
