import http from 'node:http';
import type { BenchWorld, WarmAgent } from './bench-world.ts';
import { callTool } from './mcp-call.ts';

/** Each held call needs its own socket, so the pool has no limit. */
const sockets = new http.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
const people = new http.Agent({ keepAlive: true, maxSockets: 50 });

export function closeSockets(): void {
  sockets.destroy();
  people.destroy();
}

/** An agent as the server sees it: holds a call, fetches messages, answers, holds again. */
export class HeldAgent {
  readonly agent: WarmAgent;
  readonly #url: string;
  #stopped = false;
  #returned: (at: number) => void = () => undefined;

  constructor(agent: WarmAgent, url: string) {
    this.agent = agent;
    this.#url = url;
  }

  /** Resolves when the server holds the call (its first bytes have arrived). */
  async hold(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#loop(resolve).catch(reject);
    });
  }

  /** Resolves with the moment at which the held call returns with a message. */
  returned(): Promise<number> {
    return new Promise((resolve) => {
      this.#returned = resolve;
    });
  }

  stop(): void {
    this.#stopped = true;
  }

  async #loop(onOpen: () => void): Promise<void> {
    const { sessionToken } = this.agent;
    while (!this.#stopped) {
      const { result, at } = await callTool(
        sockets,
        this.#url,
        sessionToken,
        'get_next_action',
        { hold_seconds: 25 },
        onOpen,
      );
      if (result.action !== 'get_pending_messages') continue;
      this.#returned(at);
      await callTool(sockets, this.#url, sessionToken, 'get_pending_messages', {});
      await callTool(sockets, this.#url, sessionToken, 'respond_chat', { content: 'ok' });
    }
  }
}

/** Resolves when the POST was answered with 201. */
export function postMessage(bench: BenchWorld, agent: WarmAgent): Promise<void> {
  const body = JSON.stringify({ content: 'タスクの進捗を教えてください' });
  return new Promise((resolve, reject) => {
    const request = http.request(
      `${bench.webUrl}/api/projects/${agent.projectId}/agents/${agent.agentId}/chat/messages`,
      {
        method: 'POST',
        agent: people,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          authorization: `Bearer ${bench.ownerToken}`,
        },
      },
      (response) => {
        response.resume();
        response.on('end', () =>
          response.statusCode === 201 ? resolve() : reject(new Error(`POST answered ${response.statusCode}`)),
        );
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}
