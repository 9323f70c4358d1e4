import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import { checkInvariants } from '../../src/testing/invariants.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';

/** The queries that fault rounds rely on say so when a rule is broken. */
let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
afterAll(() => world.close());

const BOOT_ID = '/proc/sys/kernel/random/boot_id';

it.each([
  ['by its environment', (runId: string) => ({ AIZUCHI_RUN_ID: runId })],
  ['as it was reported', () => ({})],
])('I-8: a process of a run that ended more than ten seconds ago, %s', async (_, mark) => {
  const { projectId, agentId } = await world.agentInProject();
  const runId = newId('run');
  const child = spawn('sleep', ['60'], { env: { PATH: process.env.PATH, ...mark(runId) } });
  const gone = once(child, 'exit');
  try {
    await once(child, 'spawn');
    const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8');
    await sql`insert into agent_runs (id, agent_id, project_id, purpose, provider, state, started_at, ended_at, exit_cause,
        boot_id, pid, start_ticks)
      values (${runId}, ${agentId}, ${projectId}, 'chat', 'command', 'exited', clock_timestamp() - interval '1 minute',
        clock_timestamp() - interval '11 s', 'killed', ${(await readFile(BOOT_ID, 'utf8')).trim()}, ${child.pid},
        ${Number(stat.split(' ')[21])})`.execute(world.database.db);
    expect(await checkInvariants(world.database, { real: true })).toEqual([
      `I-8 no process without a live run: ${child.pid} of ${runId}, which killed`,
    ]);
  } finally {
    child.kill('SIGKILL');
    await gone;
  }
  expect(await checkInvariants(world.database, { real: true })).toEqual([]);
});

it('I-4 and I-9: a conversation without its reason that counts what was never said', async () => {
  const { projectId, agentId } = await world.agentInProject();
  const other = await world.agentInProject();
  const id = newId('conv');
  await sql`with chain as (insert into conversation_chains (id, project_id) values (${id}, ${projectId}) returning id)
    insert into conversations (id, project_id, initiator_agent_id, participant_agent_id, state, message_count,
      max_messages, chain_id, last_activity_at)
    select ${id}, ${projectId}, ${agentId}, ${other.agentId}, 'ended', 3, 20, id, clock_timestamp() from chain`.execute(
    world.database.db,
  );
  const found = await checkInvariants(world.database);
  await sql`delete from conversations where id = ${id}`.execute(world.database.db);
  expect([...new Set(found.map((text) => text.slice(0, 3)))]).toEqual(['I-4', 'I-9']);
});

it('I-10: an answer that no person gave', async () => {
  const { projectId, agentId } = await world.agentInProject();
  await sql`insert into user_questions (tool_use_id, project_id, agent_id, questions, fingerprint, state, answers,
      answered_by, resolved_at)
    values ('tool_1', ${projectId}, ${agentId}, '[]', 'x', 'answered', '{}', ${agentId}, clock_timestamp())`.execute(
    world.database.db,
  );
  const found = await checkInvariants(world.database);
  await sql`delete from user_questions where tool_use_id = 'tool_1'`.execute(world.database.db);
  expect(found).toEqual([expect.stringMatching(/^I-10 .*: tool_1 is answered$/)]);
});

it('I-10 and I-9: a permission that no person gave, and more open ones than a session may have', async () => {
  const { projectId, agentId } = await world.agentInProject();
  await sql`insert into approvals (tool_use_id, project_id, agent_id, session_id, tool, kind, summary, input, input_cut,
      fingerprint, state, decided_by, resolved_at)
    select 'may_' || n, ${projectId}, ${agentId}, 'ses_1', 'Bash', 'command', 'x', '{}', false, 'x',
      case when n = 0 then 'allowed_once' else 'pending' end, case when n = 0 then ${agentId} end,
      case when n = 0 then clock_timestamp() end
    from generate_series(0, 9) n`.execute(world.database.db);
  const found = await checkInvariants(world.database);
  await sql`delete from approvals`.execute(world.database.db);
  expect(found.toSorted()).toEqual([
    expect.stringMatching(/^I-10 .*: may_0 is allowed_once$/),
    expect.stringMatching(/^I-9 .*: ses_1 has 9$/),
  ]);
});
