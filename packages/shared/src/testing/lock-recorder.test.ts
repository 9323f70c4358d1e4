import { describe, expect, test } from 'vitest';
import { LockRecorder, tablesLockedBy } from './lock-recorder.ts';

describe('what a statement locks', () => {
  test.each([
    ['select from "project_agents" where "agent_id" = $1 for update', ['project_agents']],
    ['select "id" from "agent_sessions" as "s" where "id" = $1 for no key update', ['agent_sessions']],
    [
      'select s.* from agent_runs r join agent_sessions s on s.run_id = r.id for update of s',
      ['agent_sessions'],
    ],
    ['select "id" from "chat_messages"', []],
    ['update chat_messages m set state = $1', ['chat_messages']],
    [
      'with t as (update chat_threads t set last_seq = 1) update chat_messages set seq = 1',
      ['chat_threads', 'chat_messages'],
    ],
    ['delete from "pending_agent_purposes" where "agent_id" = $1', ['pending_agent_purposes']],
    ['insert into chat_messages (id) values ($1)', []],
    [
      'insert into conversation_notices (id) values ($1) on conflict (id) do update set acknowledged_at = null',
      ['conversation_notices'],
    ],
    ['insert into read_marks (id) values ($1) on conflict do nothing', []],
  ])('%s', (statement, tables) => expect(tablesLockedBy(statement)).toEqual(tables));
});

describe('an inversion', () => {
  const run = (...statements: string[]) => {
    const recorder = new LockRecorder();
    const connection = {};
    for (const statement of ['begin', ...statements, 'commit']) recorder.note(connection, statement);
    return [...recorder.inversions].map((text) => text.split('\n')[0]);
  };
  const membership = 'select from project_agents for update';
  const session = 'select from agent_sessions for update';
  const message = 'update chat_messages set state = $1';

  test('is a lock without the membership that comes after one of a later table', () => {
    expect(run(session, membership)).toEqual(['project_agents after agent_sessions']);
    expect(run(message, session)).toEqual(['agent_sessions after chat_messages']);
  });

  test('is a shared row after a later one, also behind the membership', () => {
    expect(run(membership, 'update agents set name = $1')).toEqual(['agents after project_agents']);
  });

  test('is none behind the membership', () => {
    expect(run(membership, message, session)).toEqual([]);
  });

  test('is none when the table is locked again, or in another transaction', () => {
    expect(run(session, message, session)).toEqual([]);
    expect(run(message, 'commit', 'begin', membership)).toEqual([]);
  });
});
