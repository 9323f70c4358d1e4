import { aborted } from '../../aborted.ts';
import type { SessionOptions } from '../../driver.ts';
import { within } from '../../within.ts';
import type { ClaudeConnection } from './claude-connection.ts';
import type { ClaudeProcess, Said } from './claude-process.ts';
import { translated } from './exchange.ts';
import type { Permissions } from './permissions.ts';
import { textsFor } from './texts.ts';
import { TurnTranslator } from './turn-translator.ts';

export interface Alone {
  readonly connection: ClaudeConnection;
  readonly permissions: Permissions;
  readonly session: Pick<SessionOptions, 'log' | 'reportUsage'>;
  readonly cwd: string;
}

/** Of a turn that was stopped. Those that somebody waits for are bounded by the runner. */
const STOP_LIMIT_MS = 5_000;

/** What the model answers in a turn of our own, where nobody can be asked; undefined when it did not come to an end. */
export async function answerAlone(
  said: Said,
  signal: AbortSignal,
  { connection, permissions, session, cwd }: Alone,
): Promise<string | undefined> {
  if (signal.aborted) return undefined;
  const process = await Promise.race([connection.open(), aborted(signal)]);
  if (!process) return undefined;
  const translator = new TurnTranslator({ texts: textsFor([]), cwd });
  const isDone = new AbortController();
  void endUnheard(process, signal, isDone.signal);
  try {
    const events = translated(process, said, {
      signal,
      onBegin: () => permissions.begin(undefined),
      onMessage: (message) => connection.learn(message),
      log: session.log,
      translator,
    });
    let content = '';
    let next = await events.next();
    for (; !next.done; next = await events.next()) {
      if (next.value.type === 'text') content += next.value.text;
      if (next.value.type === 'truncate') content = content.slice(0, next.value.length);
    }
    if (next.value.kind !== 'result') return undefined;
    const { result } = next.value;
    await session.reportUsage(translator.usage(result, connection.costOf(result)).usage);
    return signal.aborted || result.is_error ? undefined : content;
  } finally {
    isDone.abort();
  }
}

/** A program that does not end a turn that was stopped is ended itself: the next turn starts another. */
async function endUnheard(process: ClaudeProcess, stop: AbortSignal, isDone: AbortSignal): Promise<void> {
  await Promise.race([aborted(stop), aborted(isDone)]);
  if (isDone.aborted || (await within(STOP_LIMIT_MS, aborted(isDone)))) return;
  await process.close();
}
