import type { Approval } from '@aizuchi/shared/contract/approval';
import { InfiniteQueryObserver } from '@tanstack/react-query';
import { afterEach, expect, test } from 'vitest';
import { keys } from '../queries/keys.ts';
import { PageQueryClient } from '../queries/page-query-client.ts';
import { applyCardFrame } from './apply-card-frame.ts';
import { type CardPage, type CardPages, cardsOf } from './card-pages.ts';
import type { ListCards } from './card-reads.ts';

const client = new PageQueryClient();
afterEach(() => client.clear());

const queryKey = keys.approvals('prj_a', 'agt_a');
const createdAt = '2026-11-21T10:00:00.123Z';
const approval = (id: string, more: Partial<Approval> = {}): Approval => ({
  id,
  projectId: 'prj_a',
  agentId: 'agt_a',
  tool: 'Bash',
  kind: 'command',
  summary: 'Run',
  input: { command: 'ls' },
  status: 'pending',
  createdAt,
  ...more,
});
const requested = ({ id, agentId, tool, kind, summary, input }: Approval) =>
  ({
    type: 'approval_request',
    projectId: 'prj_a',
    cursor: 'c',
    id,
    tool_use_id: id,
    agent_id: agentId,
    tool,
    kind,
    summary,
    timestamp: Date.UTC(2026, 10, 21, 10) / 1_000,
    ...(input !== undefined && { input }),
  }) as const;
const denied = (id: string) =>
  ({
    type: 'approval_resolved',
    projectId: 'prj_a',
    cursor: 'c',
    id,
    tool_use_id: id,
    agent_id: 'agt_a',
    status: 'denied',
  }) as const;

const listed = () => cardsOf(client.getQueryData<CardPages<Approval>>(queryKey));

/** A list of three pages on the screen; counts the pages that it reads, and keeps the calls for what frames lack. */
async function shown() {
  const pages: readonly Approval[][] = [[approval('p1')], [approval('p2')], [approval('p3')]];
  let pageReads = 0;
  const observer = new InfiniteQueryObserver<
    CardPage<Approval>,
    Error,
    CardPages<Approval>,
    typeof queryKey,
    number
  >(client, {
    queryKey,
    queryFn: ({ pageParam }) => {
      pageReads += 1;
      return { cards: pages[pageParam] ?? [], nextCursor: pageParam < 2 ? 'next' : null };
    },
    initialPageParam: 0,
    getNextPageParam: (page, all) => (page.nextCursor === null ? undefined : all.length),
  });
  const leave = observer.subscribe(() => undefined);
  await expect.poll(() => observer.getCurrentResult().isSuccess).toBe(true);
  await observer.fetchNextPage();
  await observer.fetchNextPage();
  const calls: { query: Parameters<ListCards<Approval>>[0]; answer: (cards: readonly Approval[]) => void }[] =
    [];
  const list: ListCards<Approval> = (query) =>
    new Promise((resolve) => calls.push({ query, answer: (cards) => resolve({ cards, nextCursor: null }) }));
  const asked: string[] = [];
  const lists = {
    approvals: (pid: string, aid: string) => {
      asked.push(`${pid} ${aid}`);
      return list;
    },
    questions: () => () => Promise.resolve({ cards: [], nextCursor: null }),
  };
  return { lists, calls, asked, leave, pageReads: () => pageReads };
}

test('a frame changes the one approval; one small call reads what it lacks, and no page is read again', async () => {
  const { lists, calls, asked, leave, pageReads } = await shown();
  expect(pageReads()).toBe(3);
  const fresh = approval('new');
  applyCardFrame(client, requested(fresh), lists);
  expect(listed()[0]).toMatchObject({ id: 'new', createdAt: '2026-11-21T10:00:00.999Z' });
  expect(calls.map(({ query }) => query)).toEqual([{ limit: 10, status: 'pending' }]);
  expect(new Set(asked)).toEqual(new Set(['prj_a agt_a']));
  calls[0]?.answer([fresh]);
  await expect.poll(() => listed()[0]).toEqual(fresh);
  applyCardFrame(client, requested(fresh), lists);
  expect(calls).toHaveLength(1);
  expect(listed().map(({ id }) => id)).toEqual(['new', 'p1', 'p2', 'p3']);
  expect(pageReads()).toBe(3);
  leave();
});

test('frames that come while one is read cause one more call', async () => {
  const { lists, calls, leave, pageReads } = await shown();
  for (const id of ['p1', 'p2', 'p3']) applyCardFrame(client, denied(id), lists);
  expect(listed().map(({ status }) => status)).toEqual(['denied', 'denied', 'denied']);
  expect(calls).toHaveLength(1);
  const resolvedAt = '2026-11-21T10:01:00.456Z';
  const over = ['p1', 'p2', 'p3'].map((id) => approval(id, { status: 'denied', resolvedAt }));
  calls[0]?.answer(over.slice(0, 1));
  await expect.poll(() => calls.length).toBe(2);
  calls[1]?.answer(over);
  await expect.poll(() => listed().every((one) => one.resolvedAt === resolvedAt)).toBe(true);
  expect([calls.length, pageReads()]).toEqual([2, 3]);
  leave();
});

test('a large input is read, and a response that is older than a decision changes nothing', async () => {
  const { lists, calls, leave } = await shown();
  const large = approval('new', { input: undefined });
  applyCardFrame(client, requested(large), lists);
  expect(listed().map(({ id }) => id)).toEqual(['p1', 'p2', 'p3']);
  applyCardFrame(client, denied('p1'), lists);
  calls[0]?.answer([approval('new', { input: { command: 'large' } }), approval('p1')]);
  await expect.poll(() => listed()[0]?.input).toEqual({ command: 'large' });
  expect(listed()[1]).toMatchObject({ id: 'p1', status: 'denied' });
  leave();
});

test('a list that nobody looks at is read when somebody does', async () => {
  const { lists, calls, leave } = await shown();
  leave();
  applyCardFrame(client, denied('p1'), lists);
  expect(calls).toHaveLength(0);
  expect(listed()[0]?.status).toBe('denied');
  expect(client.getQueryState(queryKey)?.isInvalidated).toBe(true);
});
