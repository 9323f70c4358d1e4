import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { chatLogLine } from '../chat-log/chat-log-line.ts';
import type { Database } from '../db/database.ts';

export interface InvariantOptions {
  /** Compare every live project's chat.jsonl with the database (I-7); needs the files of this host. */
  readonly files?: boolean;
  /** Look at the processes of this host for runs that are over (I-8); Linux only. */
  readonly processes?: boolean;
  /** Everything has come to rest and the sweeper has run: nobody may be waited for without a wake-up. */
  readonly settled?: boolean;
}

/** The numbered invariants of domain.md as queries; each violation in words, none when all hold. */
export async function checkInvariants(database: Database, options: InvariantOptions = {}): Promise<string[]> {
  const { files = true, processes = false, settled = false } = options;
  const checks = settled ? { ...INVARIANTS, ...WHEN_SETTLED } : INVARIANTS;
  const found: string[] = [];
  for (const [name, query] of Object.entries(checks)) {
    const { rows } = await sql<{ violation: string }>`${sql.raw(query)}`.execute(database.db);
    found.push(...rows.map(({ violation }) => `${name}: ${violation}`));
  }
  if (files) found.push(...(await transcriptViolations(database)));
  if (processes) found.push(...(await processViolations(database)));
  return found;
}

const INVARIANTS = {
  'I-1 a thread has no gap and no double': `
    select t.id || ' counts ' || t.last_seq || ', has ' || count(m.id) || ' up to ' || coalesce(max(m.seq), 0) as violation
    from chat_threads t left join chat_messages m on m.thread_id = t.id
    group by t.id, t.last_seq
    having t.last_seq <> count(m.id) or t.last_seq <> coalesce(max(m.seq), 0)`,
  'I-2 delivered and unanswered, so its session lives': `
    select m.id || ' is ' || m.state || ' with session ' || coalesce(s.id || ' ' || s.state, 'none') as violation
    from chat_messages m left join agent_sessions s on s.id = m.delivered_session_id
    where (m.state = 'delivered' and (s.id is null or s.state = 'ended' or s.agent_id <> m.deliver_to))
      or (m.state = 'stored' and m.delivered_session_id is not null)`,
  'a message says what became of it': `
    select m.id || ' is ' || m.state as violation from chat_messages m
    where (m.state = 'answered') <> (m.answered_at is not null)
      or (m.state = 'failed') <> (m.failure is not null)
      or (m.state <> 'stored' and m.deliver_to is null)`,
  'I-3 one live session per key': `
    select agent_id || ' in ' || project_id || ' has ' || count(*) as violation from agent_sessions
    where state = 'active' or (state = 'terminating' and exit_told_at is null)
    group by agent_id, project_id, purpose, task_id having count(*) > 1`,
  'I-4 an end has its reason, and what lives has none': `
    select s.id || ' is ' || s.state || ' (' || coalesce(s.exit_reason, 'no reason') || ')' as violation
    from agent_sessions s
    where (s.state = 'active' and (s.exit_action is not null or s.exit_told_at is not null or s.terminating_at is not null))
      or (s.state = 'terminating' and (s.exit_action is null or s.exit_reason is null or s.terminating_at is null))
      or (s.state = 'ended') <> (s.ended_at is not null)
      or (s.exit_told_at is not null and s.exit_action is null)`,
  'I-4 nobody can use the ticket of an ended session': `
    select t.run_id as violation from launch_tickets t join agent_sessions s on s.id = t.session_id
    where s.state = 'ended' and t.revoked_at is null`,
  'I-5 a message stands in the thread of its conversation': `
    select m.id as violation from chat_messages m join chat_threads t on t.id = m.thread_id
    where m.conversation_id is distinct from t.conversation_id`,
  'I-6 a started wake-up has its run, a waiting one has none': `
    select p.agent_id || ' in ' || p.project_id || ' run ' || coalesce(r.id || ' ' || r.state, 'none') as violation
    from pending_agent_purposes p left join agent_runs r on r.id = p.run_id
    where (p.started_at is null) <> (p.run_id is null)
      or (p.run_id is not null and (r.id is null or (r.state = 'exited' and r.sign_in_refused_at is null)))`,
  'I-6 a run that has not signed in has a wake-up, or is told to stop': `
    select r.id as violation from agent_runs r
    where r.state = 'starting' and r.stop_requested_at is null and r.purpose = 'chat'
      and not exists (select from pending_agent_purposes p where p.run_id = r.id)`,
  'I-6 no wake-up is older than its TTL': `
    select p.agent_id || ' in ' || p.project_id || ' started at ' || p.started_at as violation
    from pending_agent_purposes p, app_settings a
    where p.started_at < clock_timestamp() - interval '10 s' - make_interval(secs => coalesce(a.pending_purpose_ttl_seconds, 300))`,
  'a run that is over knows when and why': `
    select r.id || ' is ' || r.state as violation from agent_runs r
    where (r.state = 'exited') <> (r.ended_at is not null and r.exit_cause is not null)`,
  'a session of a run that is over is over': `
    select s.id || ' is ' || s.state || ', its run ' || r.exit_cause as violation
    from agent_sessions s join agent_runs r on r.id = s.run_id
    where s.state <> 'ended' and r.state = 'exited'`,
  'I-9 a Coordinator has no more runs than places': `
    select c.id || ' has ' || count(*) || ' of ' || c.capacity as violation
    from coordinators c join agent_runs r on r.coordinator_id = c.id and r.state <> 'exited'
    group by c.id, c.capacity having count(*) > c.capacity`,
} as const;

const WHEN_SETTLED = {
  'nobody waits for an agent that nothing will wake': `
    select m.id || ' waits for ' || m.deliver_to as violation
    from chat_messages m join projects p on p.id = m.project_id and p.status <> 'archived' and p.deleted_at is null
    join project_agents pa on pa.project_id = m.project_id and pa.agent_id = m.deliver_to
    where m.state = 'stored' and m.deliver_to is not null
      and not exists (select from pending_agent_purposes w
        where w.project_id = m.project_id and w.agent_id = m.deliver_to and w.purpose = 'chat')
      and not exists (select from agent_sessions s
        where s.project_id = m.project_id and s.agent_id = m.deliver_to and s.purpose = 'chat' and s.state = 'active')`,
} as const;

/** I-7: chat.jsonl is the thread, line by line, and every line has the place that the database gave it. */
async function transcriptViolations(database: Database): Promise<string[]> {
  const threads = await database.db
    .selectFrom('chatThreads as t')
    .innerJoin('projects as p', 'p.id', 't.projectId')
    .select(['t.projectId', 't.agentId', 't.logBytes', 'p.workingDirectory'])
    .where('p.status', '<>', 'archived')
    .where('p.deletedAt', 'is', null)
    .where('t.conversationId', 'is', null)
    .where('t.logBytes', '>', 0)
    .execute();
  const found: string[] = [];
  for (const thread of threads) {
    const name = `I-7 chat.jsonl of ${thread.agentId} in ${thread.projectId}`;
    const lines = await linesOf(database, thread);
    let offset = 0;
    for (const { id, logOffset, line } of lines) {
      if (logOffset !== offset)
        found.push(`${name}: ${id} has its place at ${logOffset} instead of ${offset}`);
      offset = logOffset + Buffer.byteLength(line);
    }
    if (thread.logBytes !== offset)
      found.push(`${name}: should have ${thread.logBytes} bytes, its lines have ${offset}`);
    const file = path.join(thread.workingDirectory, '.ai-pm', 'agents', thread.agentId, 'chat.jsonl');
    const text = await readFile(file, 'utf8').catch(
      (error: NodeJS.ErrnoException) => error.code ?? 'unreadable',
    );
    if (text !== lines.map(({ line }) => line).join(''))
      found.push(`${name}: is not the thread (${text.length} bytes)`);
  }
  return found;
}

async function linesOf(
  database: Database,
  thread: { projectId: string; agentId: string },
): Promise<{ id: string; logOffset: number; line: string }[]> {
  const rows = await database.db
    .selectFrom('chatMessages')
    .select(['id', 'senderId', 'sender', 'humanId', 'receiverId', 'content', 'createdAt', 'visible'])
    .select(['conversationId', 'relatedTaskId', 'logOffset'])
    .where('projectId', '=', thread.projectId)
    .where('agentId', '=', thread.agentId)
    .orderBy('logOffset')
    .execute();
  return rows.map(({ logOffset, createdAt, sender, ...row }) => ({
    id: row.id,
    logOffset,
    line: chatLogLine({
      ...row,
      sender: sender === 'user' || sender === 'agent' ? sender : 'system',
      createdAt: createdAt.toISOString(),
    }),
  }));
}

/** I-8: no process without a live run, ten seconds after its end. A run id that this database does not know is somebody else's. */
async function processViolations(database: Database): Promise<string[]> {
  const living = await runProcesses();
  const over = await database.db
    .selectFrom('agentRuns')
    .select(['id', 'exitCause'])
    .where('id', 'in', ['', ...new Set(living.map(({ runId }) => runId))])
    .where('endedAt', '<', sql<Date>`clock_timestamp() - interval '10 s'`)
    .execute();
  return living.flatMap(({ pid, runId }) => {
    const run = over.find(({ id }) => id === runId);
    return run ? [`I-8 no process without a live run: ${pid} of ${runId}, which ${run.exitCause}`] : [];
  });
}

/** Agents and their descendants carry AIZUCHI_RUN_ID, the watcher of a run's guard RUN. */
async function runProcesses(): Promise<{ pid: number; runId: string }[]> {
  const found: { pid: number; runId: string }[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    // Gone since the list was read, or of another account.
    const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '');
    const [, runId] = /(?:^|\0)(?:AIZUCHI_RUN_ID|RUN)=(run_[a-z0-9]+)(?:\0|$)/.exec(environment) ?? [];
    if (runId !== undefined) found.push({ pid: Number(name), runId });
  }
  return found;
}
