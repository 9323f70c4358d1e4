import { useEffect, useState } from 'react';
import { readText } from '../../lib/api/call-api.ts';
import { isTemporary } from '../../lib/api/temporary-error.ts';
import { appendToLog, EMPTY_LOG, type LogText } from './log-lines.ts';

/** While the process may write. */
const POLL_MS = 1_000;
const RETRY_MS = 3_000;

export interface RunLogState {
  readonly log: LogText;
  readonly isLoaded: boolean;
  /** The Coordinator keeps only the newest part of a log: bytes before the shown text were dropped. */
  readonly isCut: boolean;
  readonly error: unknown;
}

const BEFORE: RunLogState = { log: EMPTY_LOG, isLoaded: false, isCut: false, error: undefined };

/** The log from its beginning, polled while the run is live, and read once more after it ended. */
export function useRunLog(runId: string, isLive: boolean): RunLogState {
  const [state, setState] = useState<RunLogState>(BEFORE);
  const [position] = useState({ end: 0 });
  useEffect(() => {
    const over = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async () => {
      let wait = POLL_MS;
      let isRetried = false;
      try {
        const part = await readPart(runId, position.end, over.signal);
        if (over.signal.aborted) return;
        const isCut = part.start > position.end;
        position.end = part.end;
        setState((before) => withPart(before, part.text, isCut));
      } catch (error) {
        if (over.signal.aborted) return;
        isRetried = isTemporary(error);
        wait = RETRY_MS;
        // A temporary failure is retried and not shown; the text that was read stays.
        if (!isRetried) setState((before) => ({ ...before, isLoaded: true, error }));
      }
      if (isLive || isRetried) timer = setTimeout(() => void read(), wait);
    };
    void read();
    return () => {
      over.abort();
      clearTimeout(timer);
    };
  }, [runId, isLive, position]);
  return state;
}

function withPart(before: RunLogState, text: string, isCut: boolean): RunLogState {
  if (text === '' && before.isLoaded && before.error === undefined) return before;
  return {
    log: text === '' ? before.log : appendToLog(before.log, text),
    isLoaded: true,
    isCut: before.isCut || isCut,
    error: undefined,
  };
}

async function readPart(rid: string, from: number, signal: AbortSignal) {
  const { text, headers } = await readText('getRunLog', { params: { rid }, query: { from }, signal });
  return {
    text,
    start: Number(headers.get('x-log-start') ?? from),
    end: Number(headers.get('x-log-end') ?? from),
  };
}
