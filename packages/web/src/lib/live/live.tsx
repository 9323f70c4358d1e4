import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useEffectEvent, useState } from 'react';
import { callApi } from '../api/call-api.ts';
import { isServed } from '../api/is-served.ts';
import { keys } from '../queries/keys.ts';
import { cardLists } from '../queries/queries.ts';
import { session } from '../session.ts';
import { useStore } from '../store.ts';
import { applyFrame } from './apply-frame.ts';
import { invalidateSoon } from './invalidate-soon.ts';
import { LiveSocket, type LiveStatus } from './live-socket.ts';
import { type LiveFrame, WS_PATH } from './wire.ts';

interface ProjectListener {
  readonly projectId: string;
  readonly onFrame: (frame: LiveFrame) => void;
  readonly onGap: () => void;
}

interface Live {
  readonly socket: LiveSocket;
  readonly listeners: Set<ProjectListener>;
}

const LiveContext = createContext<Live | undefined>(undefined);

/** While the socket is down for longer than this, REST is polled every POLL_EVERY_MS. */
const POLL_AFTER_MS = 1_500;
const POLL_EVERY_MS = 2_000;

/** One socket for the signed-in tab. */
export function LiveProvider({ children }: { readonly children: ReactNode }) {
  const client = useQueryClient();
  const [live] = useState(() => createLive(client));
  useEffect(() => {
    const { socket } = live;
    const reconnect = () => {
      if (document.visibilityState === 'visible') socket.reconnectNow();
    };
    socket.start();
    const isDown = () => {
      const { state, since } = socket.status.get();
      return state !== 'open' && state !== 'off' && Date.now() - since >= POLL_AFTER_MS;
    };
    let isAsking = false;
    const poll = async () => {
      if (isAsking || !isDown()) return;
      isAsking = true;
      // Each read of a server that is away would be asked again and again.
      const served = await isServed();
      isAsking = false;
      if (!served || !isDown()) return;
      for (const projectId of socket.projectIds) reloadProject(client, live, projectId);
      void client.invalidateQueries({ queryKey: keys.inbox });
      void client.invalidateQueries({ queryKey: keys.overview });
    };
    const polling = setInterval(() => void poll(), POLL_EVERY_MS);
    window.addEventListener('online', reconnect);
    document.addEventListener('visibilitychange', reconnect);
    return () => {
      clearInterval(polling);
      window.removeEventListener('online', reconnect);
      document.removeEventListener('visibilitychange', reconnect);
      socket.stop();
    };
  }, [client, live]);
  return <LiveContext value={live}>{children}</LiveContext>;
}

export function useLiveStatus(): LiveStatus {
  return useStore(useLive().socket.status);
}

/** Keeps the project's part of the query cache current while the component is mounted. */
export function useLiveProject(projectId: string, viewerId?: string): void {
  const { socket } = useLive();
  useEffect(() => socket.follow(projectId, viewerId), [socket, projectId, viewerId]);
}

/**
 * For data that a feature keeps itself (the chat its messages): every frame of the project, in order and once.
 * `onGap`: frames may have been missed, read what came after the last known one; also called at each poll while the
 * socket is down.
 */
export function useProjectFrames(
  projectId: string,
  onFrame: (frame: LiveFrame) => void,
  onGap: () => void,
): void {
  const { listeners } = useLive();
  const emitFrame = useEffectEvent(onFrame);
  const emitGap = useEffectEvent(onGap);
  useEffect(() => {
    const listener = {
      projectId,
      onFrame: (frame: LiveFrame) => emitFrame(frame),
      onGap: () => emitGap(),
    };
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, [listeners, projectId]);
}

function useLive(): Live {
  const live = useContext(LiveContext);
  if (!live) throw new Error('LiveProvider is missing.');
  return live;
}

function createLive(client: QueryClient): Live {
  const listeners = new Set<ProjectListener>();
  const socket = new LiveSocket({
    open: () => new WebSocket(new URL(WS_PATH, location.href.replace(/^http/, 'ws'))),
    csrf: () => session.get().csrf,
    onFrame: (frame) => {
      applyFrame(client, frame, cardLists);
      for (const listener of listeners) if (listener.projectId === frame.projectId) listener.onFrame(frame);
    },
    onInbox: () => {
      invalidateSoon(client, keys.inbox);
      invalidateSoon(client, keys.overview);
    },
    onProjects: () => {
      invalidateSoon(client, keys.projects);
      invalidateSoon(client, keys.overview);
      for (const projectId of socket.projectIds) {
        invalidateSoon(client, keys.projectDetail(projectId));
        invalidateSoon(client, keys.members(projectId));
      }
    },
    onGap: (projectId) => reloadProject(client, live, projectId),
    // The call to REST decides: a 401 ends the sign-in. Other failures are ignored.
    onUnauthenticated: () => void callApi('me').catch(() => undefined),
    onRefused: (projectId) => {
      void client.invalidateQueries({ queryKey: keys.project(projectId) });
      void client.invalidateQueries({ queryKey: keys.projects });
    },
  });
  const live: Live = { socket, listeners };
  return live;
}

function reloadProject(client: QueryClient, { listeners }: Live, projectId: string): void {
  // Messages are no query: the chat itself reads what came after its last one.
  void client.invalidateQueries({ queryKey: keys.project(projectId) });
  void client.invalidateQueries({ queryKey: keys.coordinators });
  for (const listener of listeners) if (listener.projectId === projectId) listener.onGap();
}
