import { sql } from 'kysely';
import { openDatabase, type Queryable } from '../platform/db/database.ts';

/** How much a house holds. Each project has `perProject` of the agents; the first threads are long ones. */
export interface ScaleSizes {
  readonly agents: number;
  readonly projects: number;
  readonly perProject: number;
  readonly messages: number;
  /** People besides the owner, each in five projects. */
  readonly people: number;
  readonly longThreads: number;
  readonly longThreadMessages: number;
  readonly tasksPerProject: number;
  readonly runsPerThread: number;
}

export const FULL_SCALE: ScaleSizes = {
  agents: 2_000,
  projects: 50,
  perProject: 200,
  messages: 1_000_000,
  people: 100,
  longThreads: 20,
  longThreadMessages: 10_000,
  tasksPerProject: 1_000,
  runsPerThread: 5,
};

/** Large enough that a planner chooses as at full size, small enough for each run of the tests. */
export const SMALL_SCALE: ScaleSizes = {
  agents: 400,
  projects: 10,
  perProject: 100,
  messages: 40_000,
  people: 20,
  longThreads: 2,
  longThreadMessages: 5_000,
  tasksPerProject: 500,
  // With fewer the planner is close to reading the whole table.
  runsPerThread: 6,
};

/**
 * A house that has been in use for three months, written straight into the tables by arithmetic alone: the same sizes
 * give the same rows. Agents `agt_scale_1` …, projects `prj_scale_1` … (folders below `root`), people `hum_scale_1` …
 * Person and owner have read half of the chats in part. Nothing is waiting to be done, so the sweeper lets it stand.
 */
export async function fillToScale(url: string, sizes: ScaleSizes, root: string): Promise<void> {
  // The product's own connections allow no statement as long as these.
  const database = openDatabase({ url, maxConnections: 1, transactionTimeoutMs: 0 });
  const { db } = database;
  await fillPlaces(db, sizes, root);
  await fillMessages(db, sizes);
  await fillMarks(db);
  await fillWork(db, sizes);
  await fillConversations(db, sizes);
  await sql`vacuum analyze`.execute(db);
  await database.close();
}

async function fillPlaces(db: Queryable, sizes: ScaleSizes, root: string): Promise<void> {
  await sql`insert into agents (id, type, name, provider)
    select 'agt_scale_' || n, 'ai', 'Agent ' || n, 'builtin' from generate_series(1, ${sizes.agents}::int) n`.execute(
    db,
  );
  await sql`insert into agents (id, type, name, access_level)
    select 'hum_scale_' || n, 'human', 'Person ' || n, case when n % 5 = 0 then 'viewer' else 'member' end
    from generate_series(1, ${sizes.people}::int) n`.execute(db);
  await sql`insert into projects (id, name, working_directory)
    select 'prj_scale_' || n, 'Project ' || n, ${root}::text || '/prj_scale_' || n
    from generate_series(1, ${sizes.projects}::int) n`.execute(db);
  // Neighbouring projects share agents: each agent is in several.
  await sql`insert into project_agents (project_id, agent_id, created_at)
    select 'prj_scale_' || p, 'agt_scale_' || 1 + ((p - 1) * ${sizes.agents}::int / ${sizes.projects}::int + i) % ${sizes.agents}::int,
      now() - interval '100 days'
    from generate_series(1, ${sizes.projects}::int) p, generate_series(1, ${sizes.perProject}::int) i`.execute(
    db,
  );
  await sql`insert into chat_threads (id, project_id, agent_id)
    select project_id || '/' || agent_id, project_id, agent_id from project_agents
    where agent_id like 'agt_scale_%'`.execute(db);
  await sql`insert into project_agents (project_id, agent_id)
    select distinct 'prj_scale_' || 1 + (n + i * 7) % ${sizes.projects}::int, 'hum_scale_' || n
    from generate_series(1, ${sizes.people}::int) n, generate_series(1, 5) i`.execute(db);
}

/**
 * Person and agent in turn; in each fifty messages one visible and one invisible line of the system. Of the people's
 * messages one in five hundred has failed.
 */
async function fillMessages(db: Queryable, sizes: ScaleSizes): Promise<void> {
  const threads = sizes.projects * sizes.perProject;
  const short = Math.floor(
    (sizes.messages - sizes.longThreads * sizes.longThreadMessages) / (threads - sizes.longThreads),
  );
  await sql`
    insert into chat_messages (id, thread_id, seq, project_id, agent_id, sender, sender_id, human_id, content,
      created_at, visible, state, deliver_to, answered_at, failed_at, failure, system, log_offset)
    select 'msg_scale_' || t.n || '_' || seq, t.id, seq, t.project_id, t.agent_id, sender,
      case when sender = 'agent' then t.agent_id else sender end, human_id,
      'Message number ' || seq || repeat(' and some more words', seq % 7), at, seq % 50 <> 48,
      case when sender <> 'user' then 'stored' when is_failed then 'failed' else 'answered' end,
      case when sender = 'user' then t.agent_id end,
      case when sender = 'user' and not is_failed then at end,
      case when sender = 'user' and is_failed then at end,
      case when sender = 'user' and is_failed then '{"code":"timeout","params":{}}'::jsonb end,
      case when sender = 'system' then '{"code":"agent_timeout","params":{}}'::jsonb end, seq * 200
    from (select row_number() over (order by id) as n, * from chat_threads where conversation_id is null
        and project_id like 'prj_scale_%') t
    cross join lateral generate_series(1, case when t.n <= ${sizes.longThreads}::int
      then ${sizes.longThreadMessages}::int else ${short}::int end) seq
    cross join lateral (select
      case when seq % 50 in (48, 49) then 'system' when seq % 2 = 1 then 'user' else 'agent' end as sender,
      (seq * 31 + t.n * 7) % 1000 = 0 or (seq = ${short}::int - 1 and t.n % 100 = 0) as is_failed,
      now() - interval '1 minute' * ((10000 - seq) * 12 + t.n % 60) as at) m
    cross join lateral (select case when sender = 'user' then
      case when t.n % 3 = 0 then 'hum_scale_' || 1 + t.n % ${sizes.people}::int else 'owner' end end as human_id) h
    order by seq`.execute(db);
  await sql`update chat_threads t set last_seq = m.last_seq, log_bytes = m.last_seq * 200, news_count = m.news,
      news_hour = date_trunc('hour', m.last_at, 'UTC')
    from (select thread_id, max(seq) as last_seq, count(*) filter (where visible and sender <> 'user') as news,
      max(created_at) filter (where visible and sender <> 'user') as last_at from chat_messages group by thread_id) m
    where m.thread_id = t.id`.execute(db);
}

/** Half of the chats were read, up to somewhere; one in eight to the end. */
async function fillMarks(db: Queryable): Promise<void> {
  await sql`insert into read_marks (human_id, thread_id, last_seq, news_count)
    select r.human_id, r.thread_id, r.last_seq, (select count(*) from chat_messages m where m.thread_id = r.thread_id
      and m.seq <= r.last_seq and m.visible and m.sender <> 'user')
    from (
      select a.id as human_id, t.id as thread_id,
        case when t.n % 8 = 0 then t.last_seq else 1 + (t.n * 13) % t.last_seq end as last_seq
      from (select row_number() over (order by id) as n, * from chat_threads where last_seq > 0) t
      join agents a on a.id = 'owner' or (a.type = 'human' and exists (
        select from project_agents pa where pa.project_id = t.project_id and pa.agent_id = a.id))
      where t.n % 2 = 0) r`.execute(db);
}

/** Tasks, runs, sessions, questions, approvals, schedules, wake-ups that have been; two hundred agents are awake and idle. */
async function fillWork(db: Queryable, sizes: ScaleSizes): Promise<void> {
  await sql`insert into tasks (id, project_id, title, status, priority, updated_at)
    select 'tsk_scale_' || p || '_' || n, 'prj_scale_' || p, 'Task number ' || n,
      (array['backlog', 'todo', 'in_progress', 'done', 'done', 'done', 'done', 'done', 'cancelled', 'blocked'])[1 + n % 10],
      'medium', now() - interval '1 minute' * (n * 50 + p)
    from generate_series(1, ${sizes.projects}::int) p, generate_series(1, ${sizes.tasksPerProject}::int) n`.execute(
    db,
  );
  await sql`insert into agent_runs (id, agent_id, project_id, purpose, provider, state, started_at, ended_at, exit_cause,
      exit_code, followed)
    select 'run_scale_' || t.n || '_' || i, t.agent_id, t.project_id, 'chat', 'builtin', 'exited', at,
      at + interval '20 minutes', case when (t.n + i) % 20 = 0 then 'crashed' else 'finished' end, 0,
      i < ${sizes.runsPerThread}::int
    from (select row_number() over (order by id) as n, * from chat_threads where project_id like 'prj_scale_%') t
    cross join lateral generate_series(1, ${sizes.runsPerThread}::int) i
    cross join lateral (select now() - interval '1 hour' * ((${sizes.runsPerThread}::int - i) * 24 + 1 + t.n % 20) as at) s`.execute(
    db,
  );
  await sql`insert into agent_sessions (id, agent_id, project_id, purpose, state, run_id, created_at, last_activity_at,
      last_seen_at, exit_action, exit_reason, exit_acknowledged_at, terminating_at, ended_at)
    select 'ses' || substr(id, 4), agent_id, project_id, 'chat', 'ended', id, started_at, ended_at, ended_at, 'exit', 'idle',
      ended_at, ended_at, ended_at
    from agent_runs where id like 'run_scale_%'`.execute(db);
  await sql`insert into agent_sessions (id, agent_id, project_id, purpose)
    select 'ses_awake_' || row_number() over (), agent_id, project_id, 'chat' from chat_threads
    where project_id like 'prj_scale_%' order by id limit 200`.execute(db);
  await sql`insert into user_questions (tool_use_id, project_id, agent_id, questions, fingerprint, state, created_at,
      shown_at, resolved_at, answers, answered_by, acknowledged_at)
    select 'toolu_scale_' || t.n || '_' || i, t.project_id, t.agent_id, '[{"question":"Which way?","header":"Way","options":[{"label":"Left","description":""},{"label":"Right","description":""}],"multiSelect":false}]',
      '', case when is_open then 'pending' else 'answered' end, at, at, case when not is_open then at end,
      case when not is_open then '{"0":"0"}'::jsonb end, case when not is_open then 'owner' end, case when not is_open then at end
    from (select row_number() over (order by id) as n, * from chat_threads where project_id like 'prj_scale_%') t
    cross join lateral generate_series(1, 2) i
    cross join lateral (select t.n % 100 = 0 and i = 2 as is_open, now() - interval '1 minute' * (t.n % 200) as at) s`.execute(
    db,
  );
  await sql`insert into approvals (tool_use_id, project_id, agent_id, session_id, tool, kind, summary, input, input_cut,
      fingerprint, state, created_at, resolved_at, decided_by, acknowledged_at)
    select 'may_scale_' || t.n || '_' || i, t.project_id, t.agent_id, 'ses_scale_' || t.n, 'Bash', 'command', 'Run the tests',
      '{"command":"npm test"}', false, '', case when is_open then 'pending' else 'allowed_once' end, at,
      case when not is_open then at end, case when not is_open then 'owner' end, case when not is_open then at end
    from (select row_number() over (order by id) as n, * from chat_threads where project_id like 'prj_scale_%') t
    cross join lateral generate_series(1, 4) i
    cross join lateral (select t.n % 100 = 50 and i = 4 as is_open, now() - interval '1 minute' * (t.n % 200) as at) s`.execute(
    db,
  );
  await sql`insert into schedules (id, project_id, agent_id, cron, time_zone, prompt, enabled, on_missed, created_by, next_run_at)
    select 'sch_scale_' || n, project_id, agent_id, '0 9 * * 1-5', 'Asia/Tokyo', 'Report', true, 'skip', 'owner',
      now() + interval '1 day'
    from (select row_number() over (order by id) as n, * from chat_threads where project_id like 'prj_scale_%') t
    where n % 10 = 0`.execute(db);
  await sql`insert into pending_purpose_outcomes (agent_id, project_id, purpose, task_id, created_at, outcome)
    select agent_id, project_id, 'chat', '', now(), 'authenticated' from chat_threads
    where project_id like 'prj_scale_%'`.execute(db);
  await sql`insert into coordinators (id, host, boot_id, capacity)
    select 'host-' || n, 'host-' || n, 'boot', 100 from generate_series(1, 5) n`.execute(db);
}

/** Conversations that are over, ten messages each: a twentieth of the messages besides those of the chats. */
async function fillConversations(db: Queryable, sizes: ScaleSizes): Promise<void> {
  const count = Math.floor(sizes.messages / 200);
  await sql`insert into conversation_chains (id, project_id, message_count)
    select 'chain_scale_' || n, 'prj_scale_' || 1 + n % ${sizes.projects}::int, 10
    from generate_series(1, ${count}::int) n`.execute(db);
  await sql`insert into conversations (id, project_id, initiator_agent_id, participant_agent_id, state, message_count,
      max_messages, chain_id, created_at, last_activity_at, ended_at, ended_by, end_reason)
    select 'conv_scale_' || n, 'prj_scale_' || 1 + n % ${sizes.projects}::int, a.ids[1 + n % cardinality(a.ids)],
      a.ids[1 + (n + 1) % cardinality(a.ids)], 'ended', 10, 20, 'chain_scale_' || n, at, at, at,
      a.ids[1 + n % cardinality(a.ids)], 'initiator_ended'
    from generate_series(1, ${count}::int) n
    join (select project_id, array_agg(agent_id order by agent_id) as ids from chat_threads group by project_id) a
      on a.project_id = 'prj_scale_' || 1 + n % ${sizes.projects}::int
    cross join lateral (select now() - interval '1 minute' * (10 + n * 5) as at) s`.execute(db);
  await sql`insert into chat_threads (id, project_id, agent_id, conversation_id, last_seq)
    select id, project_id, initiator_agent_id, id, 10 from conversations where id like 'conv_scale_%'`.execute(
    db,
  );
  await sql`insert into chat_messages (id, thread_id, seq, project_id, agent_id, sender, sender_id, receiver_id, content,
      created_at, conversation_id, state, deliver_to, answered_at, log_offset, peer_agent_id, peer_log_offset)
    select 'msg_' || c.id || '_' || seq, c.id, seq, c.project_id, me, 'agent', me, other, 'Word ' || seq, c.created_at, c.id,
      'answered', other, c.created_at, 10000000 + seq * 200, other, 10000000 + seq * 200
    from conversations c cross join lateral generate_series(1, 10) seq
    cross join lateral (select
      case when seq % 2 = 1 then c.initiator_agent_id else c.participant_agent_id end as me,
      case when seq % 2 = 1 then c.participant_agent_id else c.initiator_agent_id end as other) s
    where c.id like 'conv_scale_%'`.execute(db);
}
