import type { MemoryEvent, MemoryState, RetrievalRun } from '@aizuchi/shared/contract/memory';
import { useQueries, useQuery } from '@tanstack/react-query';
import { isCode } from '../../../lib/api/api-error.ts';
import { callApi } from '../../../lib/api/call-api.ts';
import { keys } from '../../../lib/queries/keys.ts';
import { type UsedItem, usedId } from './used.ts';

/** One thing that an answer was given to use, as far as it is still there. */
export interface UsedMemory {
  readonly item: UsedItem;
  readonly event: MemoryEvent | undefined;
  readonly state: MemoryState | undefined;
  readonly isGone: boolean;
}

export interface MemoryUsedByAnswer {
  readonly run: RetrievalRun | undefined;
  readonly used: readonly UsedMemory[];
  readonly isLoading: boolean;
  readonly error: unknown;
  readonly retry: () => void;
}

interface AnswerIds {
  readonly projectId: string;
  readonly agentId: string;
  readonly runId: string;
}

/** What the retrieval of an answer selected. Each memory is read again: it may have been deleted since. */
export function useMemoryUsed({ projectId, agentId, runId }: AnswerIds): MemoryUsedByAnswer {
  const query = { projectId };
  const run = useQuery({
    queryKey: keys.retrievalRun(projectId, agentId, runId),
    queryFn: ({ signal }) => callApi('getRetrievalRun', { params: { aid: agentId, runId }, query, signal }),
  });
  const items = run.data?.selected ?? [];
  const eventIds = items.flatMap(({ type, event_id }) => (type === 'state' ? [] : (event_id ?? [])));
  const events = useQueries({
    queries: eventIds.map((id) => ({
      queryKey: keys.memoryEvent(projectId, agentId, id),
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        try {
          return (await callApi('getMemoryEvent', { params: { aid: agentId, id }, query, signal })).event;
        } catch (error) {
          if (isCode(error, 'event_not_found')) return null;
          throw error;
        }
      },
    })),
  });
  const states = useQuery({
    queryKey: keys.memoryStates(projectId, agentId),
    queryFn: ({ signal }) =>
      callApi('listMemoryStates', { params: { aid: agentId }, query: { ...query, limit: 200 }, signal }),
    enabled: items.some(({ type }) => type === 'state'),
  });
  const failed = [run, states, ...events].find(({ isError }) => isError);
  const areStatesRead = states.data === undefined || states.data.nextCursor === null;
  return {
    run: run.data,
    used: items.map((item) => {
      const id = usedId(item);
      const event = item.type === 'state' ? undefined : events[eventIds.indexOf(id)]?.data;
      const state = states.data?.states.find((one) => one.id === id);
      const isGone = item.type === 'state' ? areStatesRead && state === undefined : event === null;
      return { item, event: event ?? undefined, state, isGone };
    }),
    isLoading: run.isPending || states.isLoading || events.some(({ isPending }) => isPending),
    error: failed?.error,
    retry: () => void failed?.refetch(),
  };
}
