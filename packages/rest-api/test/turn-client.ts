import type { TurnFrame } from '@aizuchi/shared/contract/turn';
import { createParser } from 'eventsource-parser';

export interface Reading {
  readonly status: number;
  readonly eventId: string;
  /** Filled as they come. */
  readonly frames: TurnFrame[];
  /** Everything as it came, comments too. */
  readonly text: () => string;
  /** The stream has ended; false: it was left. */
  readonly ended: Promise<boolean>;
  leave(): void;
}

/** Calls `POST /api/chat` or the stream of a turn, and reads its events. */
export async function readTurn(
  url: string,
  { token, body, lastEventId }: { token: string; body?: object; lastEventId?: number },
): Promise<Reading> {
  const leave = new AbortController();
  const response = await fetch(url, {
    method: body ? 'POST' : 'GET',
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': 'application/json' }),
      ...(lastEventId !== undefined && { 'last-event-id': String(lastEventId) }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: leave.signal,
  });
  const frames: TurnFrame[] = [];
  let text = '';
  const parser = createParser({
    onEvent: ({ id, event, data }) =>
      void frames.push(JSON.parse(`{"id":${id},"event":"${event}","data":${data}}`)),
  });
  const read = async () => {
    if (!response.body) return true;
    const decoder = new TextDecoder();
    for await (const chunk of response.body) {
      const piece = decoder.decode(chunk, { stream: true });
      text += piece;
      parser.feed(piece);
    }
    return true;
  };
  return {
    status: response.status,
    eventId: response.headers.get('x-aizuchi-event-id') ?? '',
    frames,
    text: () => text,
    ended: read().catch(() => false),
    leave: () => leave.abort(),
  };
}

/** What a person reads of it. */
export function saidIn(frames: readonly TurnFrame[]): string {
  return frames.map(({ event, data }) => (event === 'token' ? data.text : '')).join('');
}
