import type { AgentEvent } from '@aizuchi/shared/contract/vision';
import { createParser } from 'eventsource-parser';
import type { TurnWorld } from './turn-world.ts';

export const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** A data URI of an image with these first bytes. */
export function imageOf(begin: readonly number[] = PNG, length = 64): string {
  const bytes = Buffer.alloc(length, 7);
  bytes.set(begin);
  return `data:image/png;base64,${bytes.toString('base64')}`;
}

export interface EventReading {
  readonly status: number;
  /** Filled as they come. */
  readonly events: AgentEvent[];
  /** The stream has ended; false: it was left. */
  readonly ended: Promise<boolean>;
  leave(): void;
}

/** `GET /api/events/stream`. */
async function readEvents(
  base: string,
  { token, ...query }: { token: string; agentId: string; projectId?: string; clientId?: string },
): Promise<EventReading> {
  const leave = new AbortController();
  const response = await fetch(`${base}/api/events/stream?${new URLSearchParams(query)}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: leave.signal,
  });
  const events: AgentEvent[] = [];
  const parser = createParser({ onEvent: ({ data }) => void events.push(JSON.parse(data)) });
  const read = async () => {
    if (!response.body) return true;
    const decoder = new TextDecoder();
    for await (const chunk of response.body) parser.feed(decoder.decode(chunk, { stream: true }));
    return true;
  };
  return { status: response.status, events, ended: read().catch(() => false), leave: () => leave.abort() };
}

/** The calls of a page. */
export class VisionClient {
  readonly #world: TurnWorld;
  readonly #token: string;
  readonly clientId: string;

  constructor(world: TurnWorld, caller = { id: 'owner', token: world.token }) {
    this.#world = world;
    this.#token = caller.token;
    this.clientId = caller.id;
  }

  ask(more: object = {}) {
    const { agentId, projectId, rest } = this.#world;
    const body = { agentId, projectId, clientId: this.clientId, source: 'screenshot', ...more };
    return rest.call({ token: this.#token }, 'POST', '/api/vision/capture-request', body);
  }

  async asked(more: object = {}): Promise<string> {
    return (await this.ask(more)).body.request_id;
  }

  answer(requestId: string, more: object = {}) {
    const body = { request_id: requestId, client_id: this.clientId, images: [imageOf()], ...more };
    return this.#world.rest.call({ token: this.#token }, 'POST', '/api/vision/capture-response', body);
  }

  async answered(requestId: string, more: object = {}): Promise<string> {
    const { status, body } = await this.answer(requestId, more);
    return [status, body?.error?.code].filter(Boolean).join(' ');
  }

  events(base = this.#world.rest.url, more: { clientId?: string } = {}): Promise<EventReading> {
    const { agentId, projectId } = this.#world;
    return readEvents(base, { token: this.#token, agentId, projectId, ...more });
  }
}
