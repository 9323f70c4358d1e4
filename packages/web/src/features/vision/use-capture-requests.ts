import { useEffect, useState } from 'react';
import { readEvents } from '../../lib/api/call-api.ts';
import { backoffMs } from '../../lib/backoff.ts';
import { delay } from '../../lib/delay.ts';
import { afterEvent, type CaptureRequest } from './open-requests.ts';

const AGAIN = { firstMs: 1_000, longestMs: 15_000 };
/** A stream begins with all that is open: what it has not told by then has ended while nobody listened. */
const TOLD_WITHIN_MS = 3_000;

/**
 * What the agent of this chat asks the person to show, while the page is visible: a browser has few connections to one
 * server, and hidden tabs must not hold them.
 */
export function useCaptureRequests(
  projectId: string,
  agentId: string,
  personId: string,
): readonly CaptureRequest[] {
  const [open, setOpen] = useState<readonly CaptureRequest[]>([]);
  useEffect(() => {
    const query = { agentId, projectId, clientId: personId };
    const stop = whileVisible((signal) => void follow(query, setOpen, signal));
    return () => {
      stop();
      setOpen([]);
    };
  }, [projectId, agentId, personId]);
  return open;
}

function whileVisible(begin: (signal: AbortSignal) => void): () => void {
  let current: AbortController | undefined;
  const look = () => {
    if (document.visibilityState === 'hidden') {
      current?.abort();
      current = undefined;
    } else if (!current) {
      current = new AbortController();
      begin(current.signal);
    }
  };
  document.addEventListener('visibilitychange', look);
  look();
  return () => {
    document.removeEventListener('visibilitychange', look);
    current?.abort();
  };
}

type Change = (change: (before: readonly CaptureRequest[]) => readonly CaptureRequest[]) => void;

/** Opens the stream again whenever it ends, until the signal. */
async function follow(
  query: { readonly agentId: string; readonly projectId: string; readonly clientId: string },
  change: Change,
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    let told: readonly CaptureRequest[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onOpen = () => {
      timer = setTimeout(() => change(() => told), TOLD_WITHIN_MS);
    };
    const onData = (text: string) => {
      failures = 0;
      told = afterEvent(told, text);
      change((before) => afterEvent(before, text));
    };
    // Whether it ended or failed: it is opened again, and the chat itself says when the server is away.
    await readEvents('followAgentEvents', { query, signal }, { onOpen, onData }).catch(() => undefined);
    clearTimeout(timer);
    await delay(backoffMs(failures, AGAIN), signal);
  }
}
