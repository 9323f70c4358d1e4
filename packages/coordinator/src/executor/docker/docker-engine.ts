import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { createInterface } from 'node:readline';
import type { Duplex, Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import type { DockerAddress } from '@aizuchi/shared/platform/config/docker-config';
import { z } from 'zod';

/** The engine does not answer. */
export class EngineUnreachable extends Error {
  override readonly name = 'EngineUnreachable';
}

/** The engine answers, and refuses. */
export class EngineRefused extends Error {
  override readonly name = 'EngineRefused';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: Record<string, string>;
  readonly body?: unknown;
  readonly timeoutMs?: number;
  /** In place of a time limit: the call lasts until it is answered or this is aborted. */
  readonly signal?: AbortSignal;
}

const TIMEOUT_MS = 15_000;
const KEEPALIVE_MS = 30_000;
const refusalSchema = z.object({ message: z.string() });

/**
 * The few calls of the Docker Engine API that runs need, over a socket or TLS. Without a version in the path: an engine
 * takes its own. By hand, not dockerode: see docs/design/libraries.md.
 */
export class DockerEngine {
  readonly #address: DockerAddress;

  constructor(address: DockerAddress) {
    this.#address = address;
  }

  /** The answer, parsed; undefined when it has no body. */
  async call(call: Call): Promise<unknown> {
    const response = await this.#send(call);
    const status = response.statusCode ?? 0;
    // 304: it is in that state already. A service that was removed is 200 without a body.
    if (status === 204 || status === 304 || response.headers['content-length'] === '0') {
      response.resume();
      return undefined;
    }
    return status < 400 ? bodyOf(response) : refuse(response);
  }

  /** For a call whose answer grows: each line of it, parsed, as it comes. */
  async *lines(call: Call): AsyncGenerator<unknown> {
    const response = await this.#send(call);
    if ((response.statusCode ?? 0) >= 400) await refuse(response);
    try {
      for await (const line of createInterface({ input: response })) if (line !== '') yield JSON.parse(line);
    } catch (error) {
      throw new EngineUnreachable(codeOf(error));
    }
    // readline ends as well when the connection breaks.
    if (!response.complete) throw new EngineUnreachable('ECONNRESET');
  }

  /** The body of an answer as it comes, without a time limit. */
  async read(call: Pick<Call, 'path' | 'query' | 'signal'>): Promise<Readable> {
    const response = await this.#send({ ...call, method: 'GET' });
    if (response.statusCode === 200) return response;
    response.resume();
    throw new EngineRefused(response.statusCode ?? 0, 'not read');
  }

  /** The streams of a container in one: what is written is its stdin, what is read its framed output. */
  async attach(id: string): Promise<Duplex> {
    const path = `/containers/${id}/attach?stream=1&stdin=1&stdout=1&stderr=1`;
    const request = this.#request({
      path,
      method: 'POST',
      headers: { Connection: 'Upgrade', Upgrade: 'tcp' },
      timeout: TIMEOUT_MS,
    });
    return new Promise((resolve, reject) => {
      request.on('upgrade', (_response, socket, head) => {
        socket.setTimeout(0);
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      });
      request.on('response', (response) => {
        response.resume();
        reject(new EngineRefused(response.statusCode ?? 0, 'attach refused'));
      });
      request.on('timeout', () => request.destroy(new Error('ETIMEDOUT')));
      request.on('error', (error) => reject(new EngineUnreachable(codeOf(error))));
      request.end();
    });
  }

  #send({ method, path, query = {}, body, timeoutMs = TIMEOUT_MS, signal }: Call): Promise<IncomingMessage> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const search = new URLSearchParams(query).toString();
    const request = this.#request({
      method,
      path: search === '' ? path : `${path}?${search}`,
      headers: text === undefined ? {} : { 'Content-Type': 'application/json' },
      signal: signal ?? AbortSignal.timeout(timeoutMs),
    });
    return new Promise((resolve, reject) => {
      request.on('response', resolve);
      request.on('error', (error) => reject(new EngineUnreachable(codeOf(error))));
      request.end(text);
    });
  }

  #request(options: RequestOptions) {
    const address = this.#address;
    // A connection for each call: one that is kept may be closed by the engine just when it is used.
    const request =
      'socketPath' in address
        ? httpRequest({ ...options, socketPath: address.socketPath, agent: false })
        : httpsRequest({ ...options, ...address, agent: false });
    // The streams of a container may be silent for hours, and a firewall forgets a silent connection.
    return request.on('socket', (socket) => socket.setKeepAlive(true, KEEPALIVE_MS));
  }
}

async function bodyOf(response: IncomingMessage): Promise<unknown> {
  return json(response).catch((error: unknown) => {
    throw new EngineUnreachable(codeOf(error));
  });
}

async function refuse(response: IncomingMessage): Promise<never> {
  const { statusCode: status = 0 } = response;
  const { data } = refusalSchema.safeParse(await bodyOf(response));
  throw new EngineRefused(status, data?.message ?? `status ${status}`);
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no connection';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
