import type { ClaudeMessage, ClaudeResult } from './claude-message.ts';
import type { ClaudeProcess, Said } from './claude-process.ts';
import type { TurnTranslator } from './turn-translator.ts';

export type ExchangeEnd =
  | { readonly kind: 'result'; readonly result: ClaudeResult }
  /** The session has answered this message in an earlier process. */
  | { readonly kind: 'known' }
  /** It was interrupted before it began. */
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'died'; readonly how: string };

export interface ExchangeOptions {
  readonly signal: AbortSignal;
  /** Called when Claude Code works on this message. */
  readonly onBegin: () => void;
  /** Sees every message, also those of other turns. */
  readonly onMessage: (message: ClaudeMessage) => void;
  readonly log: (sentence: string) => void;
}

/**
 * Says one thing to Claude Code and yields what it reports of it. A turn of a session that was resumed may be under way
 * already: its own when it was interrupted by a crash, then it goes on; another one is ended, for nobody waits for it.
 */
async function* exchange(
  process: ClaudeProcess,
  said: Said,
  { signal, onBegin, onMessage, log }: ExchangeOptions,
): AsyncGenerator<ClaudeMessage, ExchangeEnd> {
  if (signal.aborted) return { kind: 'cancelled' };
  const interrupt = (withWaiting: boolean) =>
    process.interrupt({ withWaiting }).catch((error: unknown) => log(`interrupt: ${error}`));
  const onAbort = () => void interrupt(true);
  signal.addEventListener('abort', onAbort, { once: true });
  let hasBegun = false;
  try {
    process.push(said);
    for (let message = await process.messages.next(); message; message = await process.messages.next()) {
      onMessage(message);
      if (message.type === 'command_lifecycle') {
        const { command_uuid: uuid, state } = message;
        if (uuid !== said.uuid) {
          // One that has ended meanwhile, or is about to, is not interrupted: that could meet ours.
          const isEnding = process.isInterrupted(uuid) || process.hasEnded(uuid);
          if (state === 'started' && !isEnding) void interrupt(false);
        } else if (state === 'started') {
          hasBegun = true;
          onBegin();
        } else if (state === 'cancelled') return { kind: 'cancelled' };
        else if (state === 'completed' && !hasBegun) return { kind: 'known' };
      } else if (hasBegun) {
        if (message.type === 'result') return { kind: 'result', result: message };
        yield message;
      }
    }
    return { kind: 'died', how: process.end ?? '' };
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** The same, as our events. */
export async function* translated(
  process: ClaudeProcess,
  said: Said,
  { translator, ...options }: ExchangeOptions & { readonly translator: TurnTranslator },
): AsyncGenerator<ReturnType<TurnTranslator['take']>[number], ExchangeEnd> {
  const messages = exchange(process, said, options);
  for (let next = await messages.next(); ; next = await messages.next()) {
    if (next.done) return next.value;
    yield* translator.take(next.value);
  }
}
