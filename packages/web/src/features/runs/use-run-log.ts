import { useEffect, useState } from 'react';
import { isTemporary } from '../../lib/api/api-error.ts';
import { readText } from '../../lib/api/call-api.ts';
import { appendToLog, EMPTY_LOG, type LogText } from './log-lines.ts';

/** As long as the process may write. */
const POLL_MS = 1_000;
const RETRY_MS = 3_000;

export interface RunLogState {
  readonly log: LogText;
  readonly isLoaded: boolean;
  /** Bytes before what is shown were dropped by the Coordinator, which keeps the newest part. */
  readonly isCut: boolean;
  readonly error: unknown;
}

const BEFORE: RunLogState = { log: EMPTY_LOG, isLoaded: false, isCut: false, error: undefined };

/** The log from its beginning, read on while the run lives; once more when it has ended. */
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
        // What passes by itself is tried again; what was read stays.
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
