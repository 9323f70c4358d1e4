import { afterAll, beforeAll, expect, it } from 'vitest';
import { startOfDay } from '../../../src/core/memory/rules/growth/about-time.ts';
import { ServiceWorld } from '../../../src/testing/service-world.ts';
import { chatEvents, secondsLater } from '../stored-memory.ts';
import { grow } from './growth-support.ts';

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
afterAll(() => world.close());

it('the first days that an import may name begin, and the years before them end', () => {
  const begins = (day: string) => startOfDay(day, 'Asia/Tokyo').toISOString().slice(0, 10);
  expect(begins('0001-01-01')).toBe('0001-01-01');
  expect(begins('0000-12-31')).toBe('0000-12-31');
  expect(begins('0001-01-05')).toBe('0001-01-04');
});

it('a summary of a time that no calendar has does not keep a memory from growing', async () => {
  const { agentId } = await world.agentInProject();
  await world.database.pool.query(
    `insert into memory_summary_scopes (agent_id, project_id, scope_type, scope_key)
     values ($1, '', 'period', '9999Q4'), ($1, '', 'period', '0000Q1'), ($1, 'prj_gone', 'topic', 'x')`,
    [agentId],
  );
  await chatEvents(world, agentId, [
    { userText: 'I like tea.', createdAt: new Date('0001-01-02T00:00:00Z') },
  ]);
  expect(await grow(world, agentId)).toBe(1);
  const { rowCount } = await world.database.pool.query(
    `select from memory_summary_scopes where agent_id = $1`,
    [agentId],
  );
  expect(rowCount).toBe(0);
});

it('a summary that cannot be written keeps nothing else from growing, and is noted', async () => {
  const { agentId } = await world.agentInProject();
  const { pool } = world.database;
  await pool.query(
    `create function refuse() returns trigger language plpgsql as 'begin raise ''refused''; end'`,
  );
  await pool.query(`create trigger refuse before insert on memory_states for each row
    when (new.payload ->> 'scope_key' = '2026Q1') execute function refuse()`);
  const texts = Array.from({ length: 6 }, (_, n) => `I have been to Osaka ${n} times.`);
  const told = texts.map((userText, n) => ({ userText, actor: 'Mika', createdAt: secondsLater(n) }));
  await chatEvents(world, agentId, told);
  expect(await grow(world, agentId)).toBe(6);
  const of = async (text: string) => (await pool.query(text, [agentId])).rows;
  expect(await of(`select from memory_summary_scopes where agent_id = $1`)).toEqual([]);
  const summaries = await of(
    `select scope_type from memory_states where agent_id = $1 and kind = 'summary' order by scope_type`,
  );
  expect(summaries.map(({ scope_type }) => scope_type)).toEqual(['person', 'topic']);
  const [row] = await of(
    `select steps #>> '{summaries,error}' as error from memory_growth_agents where agent_id = $1`,
  );
  expect(row.error).toBe('failed');
});
