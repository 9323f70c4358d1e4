import type { Indexing, StateKind, UpdateStateBody } from '@aizuchi/shared/contract/memory';
import {
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { callApi } from '../../lib/api/call-api.ts';
import { keys } from '../../lib/queries/keys.ts';
import { failedPollMs } from '../../lib/queries/query-client.ts';
import { searchAgainMs } from '../../lib/queries/search-again.ts';

/** The part of a memory that is shown; without a project all of it, which only owners see. */
export interface MemoryPart {
  readonly agentId: string;
  readonly projectId: string | undefined;
}

const PAGE = 50;
/** No frames come of a memory: what waits is asked again while somebody looks. */
const INDEXING_POLL_MS = 10_000;

const keyOf = ({ agentId, projectId = '' }: MemoryPart, ...what: readonly string[]) =>
  keys.memory(agentId, projectId, ...what);

function scopeOf({ projectId }: MemoryPart): { projectId?: string } {
  return projectId === undefined ? {} : { projectId };
}

export const eventsQuery = (part: MemoryPart) =>
  infiniteQueryOptions({
    queryKey: keyOf(part, 'events'),
    queryFn: ({ pageParam, signal }) =>
      callApi('listMemoryEvents', {
        params: { aid: part.agentId },
        query: { ...scopeOf(part), limit: PAGE, ...(pageParam !== undefined && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });

export const eventQuery = (part: MemoryPart, id: string) =>
  queryOptions({
    queryKey: keyOf(part, 'event', id),
    queryFn: ({ signal }) =>
      callApi('getMemoryEvent', { params: { aid: part.agentId, id }, query: scopeOf(part), signal }),
  });

export const statesQuery = (part: MemoryPart, kind: StateKind | undefined) =>
  infiniteQueryOptions({
    queryKey: keyOf(part, 'states', kind ?? ''),
    queryFn: ({ pageParam, signal }) =>
      callApi('listMemoryStates', {
        params: { aid: part.agentId },
        query: {
          ...scopeOf(part),
          limit: PAGE,
          ...(kind !== undefined && { kind }),
          ...(pageParam !== undefined && { cursor: pageParam }),
        },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });

export const revisionsQuery = (part: MemoryPart, stateId: string) =>
  infiniteQueryOptions({
    queryKey: keyOf(part, 'revisions', stateId),
    queryFn: ({ pageParam, signal }) =>
      callApi('listMemoryRevisions', {
        params: { aid: part.agentId, id: stateId },
        query: { ...scopeOf(part), limit: PAGE, ...(pageParam !== undefined && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });

export const indexingQuery = (part: MemoryPart) =>
  queryOptions({
    queryKey: keyOf(part, 'indexing'),
    queryFn: ({ signal }) =>
      callApi('getMemoryIndexing', { params: { aid: part.agentId }, query: scopeOf(part), signal }),
    refetchInterval: INDEXING_POLL_MS,
  });

export const moodQuery = (part: MemoryPart) =>
  queryOptions({
    queryKey: keyOf(part, 'mood'),
    queryFn: ({ signal }) =>
      callApi('getMemoryMood', { params: { aid: part.agentId }, query: scopeOf(part), signal }),
  });

export const threadsQuery = (part: MemoryPart) =>
  queryOptions({
    queryKey: keyOf(part, 'threads'),
    queryFn: ({ signal }) =>
      callApi('listMemoryThreads', { params: { aid: part.agentId }, query: scopeOf(part), signal }),
  });

const MAX_HITS = 20;

/** Every search is recorded, so it is not repeated when somebody comes back to the window, only when it was late. */
export const hitsQuery = (part: MemoryPart, query: string) =>
  queryOptions({
    queryKey: keyOf(part, 'search', query),
    queryFn: ({ signal }) =>
      callApi('searchMemory', {
        params: { aid: part.agentId },
        body: { query, limit: MAX_HITS, ...scopeOf(part) },
        signal,
      }),
    enabled: query !== '',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
    refetchInterval: ({ state }) => failedPollMs(state) || searchAgainMs(state.data, state.dataUpdateCount),
  });

/** Reads again all that is shown of this memory, also in the chats of all projects. */
function useRefresh({ agentId }: MemoryPart): () => void {
  const client = useQueryClient();
  return () => refreshShown(client, agentId);
}

function refreshShown(client: QueryClient, agentId: string): void {
  void client.invalidateQueries({ queryKey: keys.memory(agentId) });
  void client.invalidateQueries({ predicate: ({ queryKey }) => isOfChat(queryKey, agentId) });
}

/** What nobody looks at is not kept either: a later look must not begin with words that were deleted. */
export function forgetShown(client: QueryClient, agentId: string): void {
  client.removeQueries({ queryKey: keys.memory(agentId), type: 'inactive' });
  client.removeQueries({ predicate: ({ queryKey }) => isOfChat(queryKey, agentId), type: 'inactive' });
  refreshShown(client, agentId);
}

const OF_CHATS: ReadonlySet<unknown> = new Set(['retrieval-run', 'memory-event', 'memory-states', 'search']);

/** What a chat shows of a memory, and the search of the page, which quotes all memories of a project. */
function isOfChat([scope, , what, of]: readonly unknown[], agentId: string): boolean {
  return scope === 'project' && OF_CHATS.has(what) && (what === 'search' || of === agentId);
}

/** What is read again by a person only: each search is recorded. */
const NOT_FOLLOWED: ReadonlySet<unknown> = new Set(['search', 'indexing']);

/** Reads the lists again when something was stored or has grown, as far as `indexing` shows it. */
export function useFollowMemory({ agentId }: MemoryPart, indexing: Indexing | undefined): void {
  const client = useQueryClient();
  const last = useRef<string>(undefined);
  const waiting = indexing && `${indexing.pendingJobs} ${indexing.failedJobs}`;
  useEffect(() => {
    if (waiting === undefined) return;
    if (last.current !== undefined && last.current !== waiting)
      void client.invalidateQueries({
        queryKey: keys.memory(agentId),
        predicate: ({ queryKey: [, , , what] }) => !NOT_FOLLOWED.has(what),
      });
    last.current = waiting;
  }, [client, agentId, waiting]);
}

export function useUpdateState(part: MemoryPart, id: string) {
  const refresh = useRefresh(part);
  return useMutation({
    mutationFn: (body: UpdateStateBody) =>
      callApi('updateMemoryState', { params: { aid: part.agentId, id }, query: scopeOf(part), body }),
    onSuccess: refresh,
  });
}

export function useDeleteState(part: MemoryPart, id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      callApi('deleteMemoryState', { params: { aid: part.agentId, id }, query: scopeOf(part) }),
    onSuccess: () => forgetShown(client, part.agentId),
  });
}

export function useDeleteEvent(part: MemoryPart, id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      callApi('deleteMemoryEvent', { params: { aid: part.agentId, id }, query: scopeOf(part) }),
    onSuccess: () => forgetShown(client, part.agentId),
  });
}

export function useRetryGrowth(part: MemoryPart, eventId: string) {
  const refresh = useRefresh(part);
  return useMutation({
    mutationFn: () =>
      callApi('retryMemoryGrowth', {
        params: { aid: part.agentId, id: eventId },
        query: scopeOf(part),
      }),
    onSuccess: refresh,
  });
}
