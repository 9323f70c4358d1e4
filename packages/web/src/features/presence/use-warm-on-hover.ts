import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import { useEffect, useRef, useState } from 'react';
import { callApi } from '../../lib/api/call-api.ts';
import { useWriteAccess } from '../../lib/queries/use-write-access.ts';

/** A pointer that only passes asks for nothing. */
const REST_MS = 200;
const ASK_AGAIN_MS = 60_000;

/** When the server may be asked again about an agent, by project and agent. */
const askAgainAt = new Map<string, number>();

/** Handlers for an avatar: a mouse that rests on an agent that sleeps may start it. What comes of it is the server's. */
export function useWarmOnHover(projectId: string, agentId: string, session: AgentSessionView | undefined) {
  const { canWrite, isReadOnly } = useWriteAccess(projectId);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [isResting, setIsResting] = useState(false);
  const forget = () => {
    clearTimeout(timer.current);
    setIsResting(false);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  // Who the person is and what the agent does may be known only after the pointer has come. Looked at once for each rest.
  const isKnown = session !== undefined && (canWrite || isReadOnly !== undefined);
  const isAsleep = canWrite && session?.chatStatus === 'none';
  useEffect(() => {
    if (!isResting || !isKnown) return;
    setIsResting(false);
    if (isAsleep) warm(projectId, agentId);
  }, [isResting, isKnown, isAsleep, projectId, agentId]);
  return {
    onPointerEnter: ({ pointerType }: { pointerType: string }) => {
      if (pointerType !== 'mouse') return;
      forget();
      timer.current = setTimeout(() => setIsResting(true), REST_MS);
    },
    onPointerLeave: forget,
    // The chat is opened now.
    onPointerDown: forget,
  };
}

function warm(projectId: string, agentId: string): void {
  const key = `${projectId} ${agentId}`;
  const now = performance.now();
  if (now < (askAgainAt.get(key) ?? 0)) return;
  askAgainAt.set(key, now + ASK_AGAIN_MS);
  callApi('warmChat', { params: { pid: projectId, aid: agentId } }).then(
    ({ reason }) => {
      // A change of the setting counts after a reload.
      if (reason === 'off' || reason === 'per_work') askAgainAt.set(key, Number.POSITIVE_INFINITY);
    },
    // It was a guess: opening the chat says what is wrong.
    () => undefined,
  );
}
