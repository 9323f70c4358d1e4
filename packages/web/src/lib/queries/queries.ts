import type { Agent } from '@aizuchi/shared/contract/agent';
import type { Approval } from '@aizuchi/shared/contract/approval';
import type { Project } from '@aizuchi/shared/contract/project';
import type { Question } from '@aizuchi/shared/contract/question';
import type { Task } from '@aizuchi/shared/contract/task';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { callApi } from '../api/call-api.ts';
import type { CardLists } from '../live/apply-card-frame.ts';
import type { Card, CardPage } from '../live/card-pages.ts';
import { type ListCards, readCardPage } from '../live/card-reads.ts';
import { keys } from './keys.ts';

/** The largest page of a list that the API allows. */
const MAX_PAGE_SIZE = 200;

/** The queries of several features. Lists are complete: all pages are read. */
export const meQuery = () =>
  queryOptions({ queryKey: keys.me, queryFn: ({ signal }) => callApi('me', { signal }), staleTime: 60_000 });

export const projectsQuery = () =>
  queryOptions({
    queryKey: keys.projects,
    queryFn: ({ signal }) =>
      allPages<Project>(async (page) => {
        const { projects, nextCursor } = await callApi('listProjects', { query: page, signal });
        return { items: projects, nextCursor };
      }),
  });

export const agentsQuery = () =>
  queryOptions({
    queryKey: keys.agents,
    queryFn: ({ signal }) =>
      allPages<Agent>(async (page) => {
        const { agents, nextCursor } = await callApi('listAgents', { query: page, signal });
        return { items: agents, nextCursor };
      }),
  });

export const projectQuery = (pid: string) =>
  queryOptions({
    queryKey: keys.projectDetail(pid),
    queryFn: ({ signal }) => callApi('getProject', { params: { pid }, signal }),
  });

/** Agents and people of the project. */
export const membersQuery = (pid: string) =>
  queryOptions({
    queryKey: keys.members(pid),
    queryFn: ({ signal }) =>
      allPages<Agent>(async (page) => {
        const { agents, nextCursor } = await callApi('listMembers', { params: { pid }, query: page, signal });
        return { items: agents, nextCursor };
      }),
  });

/** One read for up to 2,000 tasks: pages of 200, one after the other or in parallel by column, were measured and are slower. */
export const tasksQuery = (pid: string) =>
  queryOptions({
    queryKey: keys.tasks(pid),
    queryFn: ({ signal }) =>
      allPages<Task>(async (page) => {
        const query = { ...page, board: 'true' };
        const { tasks, nextCursor } = await callApi('listTasks', { params: { pid }, query, signal });
        return { items: tasks, nextCursor };
      }),
  });

/** By agent id; without the agents that never ran. */
export const agentSessionsQuery = (pid: string) =>
  queryOptions({
    queryKey: keys.agentSessions(pid),
    queryFn: async ({ signal }) =>
      (await callApi('agentSessions', { params: { pid }, signal })).agentSessions,
  });

/** By agent id. */
export const unreadQuery = (pid: string) =>
  queryOptions({
    queryKey: keys.unread(pid),
    queryFn: async ({ signal }) => (await callApi('unreadCounts', { params: { pid }, signal })).counts,
  });

/** How the cards of an agent in a project are read. */
export const cardLists = {
  approvals:
    (pid: string, agentId: string, signal?: AbortSignal): ListCards<Approval> =>
    async (page) => {
      const query = { agentId, exceptPolicy: 'allow_edits' as const, ...page };
      const { approvals: cards, nextCursor } = await callApi('listApprovals', {
        params: { pid },
        query,
        ...(signal && { signal }),
      });
      return { cards, nextCursor };
    },
  questions:
    (pid: string, agentId: string, signal?: AbortSignal): ListCards<Question> =>
    async (page) => {
      const query = { agentId, ...page };
      const { questions: cards, nextCursor } = await callApi('listQuestions', {
        params: { pid },
        query,
        ...(signal && { signal }),
      });
      return { cards, nextCursor };
    },
} satisfies CardLists;

/** What an agent asked the people of a project, newest first, page by page. */
export const questionsQuery = (pid: string, agentId: string) =>
  cardsQuery(keys.questions(pid, agentId), (signal) => cardLists.questions(pid, agentId, signal));

/** What an agent asked to be allowed, without what a policy has allowed; newest first, page by page. */
export const approvalsQuery = (pid: string, agentId: string) =>
  cardsQuery(keys.approvals(pid, agentId), (signal) => cardLists.approvals(pid, agentId, signal));

export function cardsQuery<C extends Card>(
  queryKey: readonly string[],
  listWith: (signal: AbortSignal) => ListCards<C>,
) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }): Promise<CardPage<C>> => readCardPage(listWith(signal), pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
}

export const coordinatorsQuery = () =>
  queryOptions({
    queryKey: keys.coordinators,
    queryFn: async ({ signal }) => (await callApi('coordinators', { signal })).coordinators,
  });

export const settingsQuery = () =>
  queryOptions({ queryKey: keys.settings, queryFn: ({ signal }) => callApi('getSettings', { signal }) });

interface PageOf<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

export async function allPages<T>(
  load: (page: { limit: number; cursor?: string }) => Promise<PageOf<T>>,
): Promise<readonly T[]> {
  const all: T[] = [];
  let cursor: string | null = null;
  do {
    const page: PageOf<T> = await load({ limit: MAX_PAGE_SIZE, ...(cursor !== null && { cursor }) });
    all.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return all;
}
