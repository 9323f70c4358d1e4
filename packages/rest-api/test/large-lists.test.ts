import { TaskService } from '@aizuchi/shared/core/tasks/task-service';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderPages } from '../src/streams/project-frames.ts';
import { type Caller, RestWorld } from './rest-world.ts';
import { SocketClient } from './socket-client.ts';

/* Lists whose rows hold texts of people and agents: twelve rows of 200 kB each. */

const COUNT = 12;
const BYTES = 200_000;
const PAGE_BYTES = 1_048_576;
/** Bytes of a row besides its text. */
const REST_OF_ROW = 2_000;

let world: RestWorld;
let owner: Caller;
let membership: { projectId: string; agentId: string };

beforeAll(async () => {
  world = await RestWorld.create({ isRunning: true, checkResponses: false });
  owner = await world.owner();
  membership = await world.project();
  const { pool } = world.context.database;
  const fill = (query: string) =>
    pool.query(
      `with rows as (select i, lpad(i::text, 2, '0') as n, repeat('x', ${BYTES}) as text,
         timestamptz '2026-01-01T00:00:00Z' + i * interval '1 second' as at from generate_series(1, ${COUNT}) i)
       ${query} from rows`,
    );
  const { projectId, agentId } = membership;
  await fill(`insert into tasks (id, project_id, title, description, status, priority, created_at, updated_at)
    select 'tsk_large_' || n, '${projectId}', n, text, 'todo', 'medium', at, at`);
  await fill(`insert into agents (id, type, name, provider, system_prompt, created_at, updated_at)
    select 'agt_large_' || n, 'ai', 'Large ' || n, 'builtin', text, at, at`);
  await fill(`insert into project_agents (project_id, agent_id) select '${projectId}', 'agt_large_' || n`);
  await fill(`insert into projects (id, name, description, working_directory, created_at, updated_at)
    select 'prj_large_' || n, n, text, '/nowhere/' || n, at, at`);
  await fill(`insert into schedules (id, project_id, agent_id, cron, time_zone, prompt, enabled, on_missed, created_by,
      created_at, updated_at)
    select 'sch_large_' || n, '${projectId}', '${agentId}', '0 0 * * *', 'UTC', text, false, 'skip', 'owner', at, at`);
  // These end now, because the sweeper of this process deletes runs that ended a month ago, and old cards.
  await fill(`insert into agent_runs (id, agent_id, project_id, purpose, provider, state, started_at, ended_at,
      exit_cause, stderr_tail)
    select 'run_large_' || n, '${agentId}', '${projectId}', 'chat', 'builtin', 'exited', at, now(), 'crashed', text`);
  await fill(`insert into user_questions (tool_use_id, project_id, agent_id, questions, fingerprint, state, created_at,
      shown_at, resolved_at, cancel_reason)
    select 'toolu_large_' || n, '${projectId}', '${agentId}', jsonb_build_array(jsonb_build_object('question', text,
      'header', 'Way', 'options', '[{"label":"A","description":""},{"label":"B","description":""}]'::jsonb,
      'multiSelect', false)), '', 'cancelled', at, at, now(), 'by_person'`);
  await fill(`insert into approvals (tool_use_id, project_id, agent_id, session_id, tool, kind, summary, input, input_cut,
      fingerprint, state, created_at, resolved_at, decided_by)
    select 'may_large_' || n, '${projectId}', '${agentId}', 'ses_large', 'Bash', 'command', 'Run', to_json(text), false,
      '', 'denied', at, now(), 'owner'`);
});
afterAll(() => world.close());

interface Page {
  readonly ids: readonly string[];
  readonly bytes: number;
  readonly nextCursor: string | null;
}

async function readPage(path: string, plural: string, cursor: string | null): Promise<Page> {
  const query = cursor === null ? '' : `&cursor=${cursor}`;
  const response = await fetch(`${world.url}${path}?limit=200${query}`, {
    headers: { authorization: `Bearer ${owner.token}` },
  });
  const text = await response.text();
  expect([response.status, text.slice(0, 200)]).toEqual([200, expect.any(String)]);
  const body = JSON.parse(text) as Record<string, { id?: string; toolUseId?: string }[]> & {
    nextCursor: string | null;
  };
  const ids = (body[plural] ?? []).map(({ id, toolUseId }) => id ?? toolUseId ?? '');
  return { ids, bytes: Buffer.byteLength(text), nextCursor: body.nextCursor };
}

const names = (prefix: string): string[] =>
  Array.from({ length: COUNT }, (_, i) => `${prefix}_large_${String(i + 1).padStart(2, '0')}`);

describe('a page holds 1 MiB of texts, and reading page by page gives every row once', () => {
  test.each([
    ['tasks', (): string => `/api/projects/${membership.projectId}/tasks`, 'tasks', 'tsk', 'oldest first'],
    ['agents', (): string => '/api/agents', 'agents', 'agt', 'oldest first'],
    [
      'members',
      (): string => `/api/projects/${membership.projectId}/agents`,
      'agents',
      'agt',
      'oldest first',
    ],
    ['projects', (): string => '/api/projects', 'projects', 'prj', 'oldest first'],
    [
      'schedules',
      (): string => `/api/projects/${membership.projectId}/schedules`,
      'schedules',
      'sch',
      'oldest first',
    ],
    ['runs', (): string => `/api/projects/${membership.projectId}/runs`, 'runs', 'run', 'newest first'],
    [
      'cards',
      (): string => `/api/projects/${membership.projectId}/questions`,
      'questions',
      'toolu',
      'newest first',
    ],
    [
      'approvals',
      (): string => `/api/projects/${membership.projectId}/approvals`,
      'approvals',
      'may',
      'newest first',
    ],
  ] as const)('%s', async (_what, path, plural, prefix, order) => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Page = await readPage(path(), plural, cursor);
      expect(page.bytes).toBeLessThanOrEqual(PAGE_BYTES + page.ids.length * REST_OF_ROW);
      expect(page.ids.length).toBeGreaterThan(0);
      seen.push(...page.ids);
      cursor = page.nextCursor;
    } while (cursor !== null);
    const wanted = order === 'oldest first' ? names(prefix) : names(prefix).toReversed();
    expect(seen.filter((id) => id.includes('_large_'))).toEqual(wanted);
  });

  test('a text that is larger than a page has a page of its own', async () => {
    await world.context.database.pool.query(
      `update tasks set description = repeat('x', ${PAGE_BYTES + 1}) where id = 'tsk_large_02'`,
    );
    const path = `/api/projects/${membership.projectId}/tasks`;
    const first = await readPage(path, 'tasks', null);
    expect(first.ids).toEqual(['tsk_large_01']);
    const second = await readPage(path, 'tasks', first.nextCursor);
    expect(second.ids).toEqual(['tsk_large_02']);
    expect((await readPage(path, 'tasks', second.nextCursor)).ids[0]).toBe('tsk_large_03');
    await world.context.database.pool.query(
      `update tasks set description = repeat('x', ${BYTES}) where id = 'tsk_large_02'`,
    );
  });
});

test('an agent reads the board in the same pages', async () => {
  const tasks = new TaskService(world.context);
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await tasks.listForAgent(membership.projectId, { limit: 200, cursor });
    const bytes = page.tasks.reduce((sum, { description }) => sum + Buffer.byteLength(description), 0);
    expect(bytes).toBeLessThanOrEqual(PAGE_BYTES);
    expect(page.counts.todo).toBe(COUNT);
    seen.push(...page.tasks.map(({ id }) => id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  expect(seen).toEqual(names('tsk'));
});

test('frames of tasks and conversations are rendered from 1 MiB of rows at a time, and none is left out', async () => {
  const conversations = names('conv');
  await world.context.database.pool.query(
    `with chains as (
       insert into conversation_chains (id, project_id) select id, $1 from unnest($3::text[]) id returning id
     )
     insert into conversations (id, project_id, initiator_agent_id, participant_agent_id, state, chain_id, max_messages,
       final_message, created_at, last_activity_at)
     select id, $1, $2, 'agt_large_01', 'ended', id, 20, repeat('x', ${BYTES}), now(), now() from chains`,
    [membership.projectId, membership.agentId, conversations],
  );
  const gone = 'tsk_gone_1';
  const refs = [
    ...names('tsk')
      .slice(0, 7)
      .map((taskId) => ({ taskId })),
    { taskId: gone },
    ...conversations.map((conversationId) => ({ conversationId })),
    ...names('tsk')
      .slice(7)
      .map((taskId) => ({ taskId })),
  ];
  const entries = refs.map((ref, id) => ({
    id,
    projectId: membership.projectId,
    kind: 'taskId' in ref ? ('task' as const) : ('conversation' as const),
    ref: { ...ref },
  }));
  const { history, steps, tasks, questions, approvals, presence } = world.context;
  const loaded: number[] = [];
  const pages = renderPages(entries, {
    messages: (wanted) => history.withAgents(wanted),
    steps: (wanted) => steps.firstByNames(wanted),
    tasks: async (wanted) => {
      const found = await tasks.firstByIds(wanted);
      loaded.push([...found.rows.values()].reduce((sum, { description }) => sum + description.length, 0));
      return found;
    },
    conversations: async (wanted) => {
      const found = await world.context.conversations.firstByIds(wanted);
      loaded.push([...found.rows.values()].reduce((sum, view) => sum + (view.finalMessage?.length ?? 0), 0));
      return found;
    },
    questions: (wanted) => questions.byIds(wanted),
    approvals: (wanted) => approvals.byIds(wanted),
    pendingQuestions: (projectId) => questions.pendingOf(projectId),
    pendingApprovals: (projectId) => approvals.pendingOf(projectId),
    sessions: (projectId, agentIds) => presence.agentSessions(null, projectId, agentIds),
  });
  const made: string[] = [];
  for await (const { frames } of pages)
    made.push(
      ...frames.flatMap(({ body }) => {
        if (body.type === 'conversation_changed') return body.conversation.id;
        if (body.type !== 'task_changed') return [];
        return 'task' in body ? body.task.id : `${body.taskId} deleted`;
      }),
    );
  const wanted = refs.map((ref) => ('taskId' in ref ? ref.taskId : ref.conversationId));
  expect(made).toEqual(wanted.map((id) => (id === gone ? `${id} deleted` : id)));
  expect(Math.max(...loaded)).toBeLessThanOrEqual(PAGE_BYTES);
});

test('a socket gets a frame for every task of one large change', async () => {
  const client = await SocketClient.open(world.port, { authorization: `Bearer ${owner.token}` });
  await client.subscribe(membership.projectId);
  await world.context.database.pool.query(
    `insert into change_log (project_id, kind, ref)
     select $1, 'task', jsonb_build_object('taskId', id) from unnest($2::text[]) with ordinality as t (id, place)
     order by place`,
    [membership.projectId, names('tsk')],
  );
  await client.heard(({ task }) => (task as { id?: string } | undefined)?.id === names('tsk').at(-1));
  const told = client.frames.flatMap(({ type, task }) =>
    type === 'task_changed' ? [(task as { id: string }).id] : [],
  );
  expect(told).toEqual(names('tsk'));
  await client.close();
});
