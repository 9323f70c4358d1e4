import { setTimeout as delay } from 'node:timers/promises';
import type { TurnFrame } from '@aizuchi/shared/contract/turn';
import type { AgentEvent } from '@aizuchi/shared/contract/vision';

/** Proxies cut a connection on which nothing comes. */
const COMMENT_EVERY_MS = 15_000;
const COMMENT = ': \n\n';

export function turnStream(
  frames: AsyncIterable<TurnFrame>,
  commentEveryMs = COMMENT_EVERY_MS,
): AsyncGenerator<string> {
  return withComments(frames, textOf, commentEveryMs);
}

export function agentEventStream(events: AsyncIterable<AgentEvent>): AsyncGenerator<string> {
  return withComments(events, (event) => `data: ${JSON.stringify(event)}\n\n`, COMMENT_EVERY_MS);
}

/** Server-sent events, with a comment wherever nothing comes for a while. The first comment sends the headers. */
async function* withComments<T>(
  frames: AsyncIterable<T>,
  textOf: (frame: T) => string,
  commentEveryMs: number,
): AsyncGenerator<string> {
  const iterator = frames[Symbol.asyncIterator]();
  try {
    yield COMMENT;
    let next = iterator.next();
    for (;;) {
      const result = await withinMs(next, commentEveryMs);
      if (result === undefined) {
        yield COMMENT;
        continue;
      }
      if (result.done) return;
      yield textOf(result.value);
      next = iterator.next();
    }
  } finally {
    // It may wait for a frame; nobody waits for that.
    void iterator.return?.();
  }
}

async function withinMs<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const timer = new AbortController();
  const late = delay(ms, undefined, { signal: timer.signal, ref: false }).catch(() => undefined);
  try {
    return await Promise.race([promise, late]);
  } finally {
    timer.abort();
  }
}

function textOf({ id, event, data }: TurnFrame): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
