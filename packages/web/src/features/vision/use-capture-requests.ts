import { ROUTE_TABLE } from 'virtual:route-table';
import { useEffect, useState } from 'react';
import { queryString } from '../../lib/api/address.ts';
import { afterEvent, type CaptureRequest } from './open-requests.ts';

/** After an answer that is no stream; a connection that breaks is opened again by the browser. */
const AGAIN_MS = 15_000;

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
    const query = queryString({ agentId, projectId, clientId: personId });
    return whileVisible(() => {
      // What has ended while nobody listened is not told.
      setOpen([]);
      return follow(ROUTE_TABLE.followAgentEvents.path + query, (text) =>
        setOpen((before) => afterEvent(before, text)),
      );
    });
  }, [projectId, agentId, personId]);
  return open;
}

function whileVisible(begin: () => () => void): () => void {
  let end: (() => void) | undefined;
  const look = () => {
    if (document.visibilityState === 'hidden') {
      end?.();
      end = undefined;
    } else end ??= begin();
  };
  document.addEventListener('visibilitychange', look);
  look();
  return () => {
    document.removeEventListener('visibilitychange', look);
    end?.();
  };
}

function follow(url: string, onText: (text: string) => void): () => void {
  let source: EventSource;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const open = () => {
    source = new EventSource(url);
    source.onmessage = ({ data }) => onText(String(data));
    source.onerror = () => {
      if (source.readyState === EventSource.CLOSED) timer = setTimeout(open, AGAIN_MS);
    };
  };
  open();
  return () => {
    clearTimeout(timer);
    source.close();
  };
}
