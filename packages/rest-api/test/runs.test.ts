import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RestWorld } from './rest-world.ts';

let world: RestWorld;
let projectId: string;
let agentId: string;

beforeAll(async () => {
  world = await RestWorld.create({ config: { locale: 'en' } });
  ({ projectId, agentId } = await world.project());
});
afterAll(() => world.close());

async function insertRun(values: Record<string, unknown> & { id: string }): Promise<string> {
  const run = { agentId, projectId, purpose: 'chat', provider: 'builtin', ...values };
  await world.context.database.db.insertInto('agentRuns').values(run).execute();
  return run.id;
}

async function get(url: string) {
  return world.call(await world.owner(), 'GET', url);
}

async function writeLog(runId: string, content: string): Promise<void> {
  const folder = path.join(world.root, 'home', 'logs', 'runs');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, `${runId}.log`), content);
}

test('runs are listed newest first, page by page, filtered by agent and state', async () => {
  const { projectId: pid, agentId: aid } = await world.project();
  const ids: string[] = [];
  for (let index = 0; index < 5; index += 1) {
    // Two have the same time: the id decides.
    const startedAt = new Date(Date.UTC(2026, 0, 1) + Math.floor(index / 2) * 1_000);
    const state = index === 4 ? 'running' : 'exited';
    ids.unshift(
      await insertRun({ id: `run_${pid.slice(4)}${index}`, projectId: pid, agentId: aid, startedAt, state }),
    );
  }
  const read: string[] = [];
  let cursor = '';
  do {
    const { status, body } = await get(`/api/projects/${pid}/runs?limit=2${cursor && `&cursor=${cursor}`}`);
    expect(status).toBe(200);
    read.push(...body.runs.map(({ id }: { id: string }) => id));
    cursor = body.nextCursor ?? '';
  } while (cursor !== '');
  expect(read).toEqual(ids);
  const idsOf = async (query: string) =>
    (await get(`/api/projects/${pid}/runs?${query}`)).body.runs.map(({ id }: { id: string }) => id);
  expect(await idsOf('state=running')).toEqual(ids.slice(0, 1));
  expect(await idsOf('state=running&state=exited')).toEqual(ids);
  expect(await idsOf(`agentId=${aid}&limit=1`)).toEqual(ids.slice(0, 1));
  expect(await idsOf('agentId=agt_other')).toEqual([]);
  expect((await get(`/api/projects/${pid}/runs?state=asleep`)).status).toBe(400);
  expect((await get(`/api/projects/${pid}/runs?cursor=nonsense`)).status).toBe(400);
});

test('a run shows why it ended and what to do', async () => {
  await insertRun({
    id: 'run_crashed',
    coordinatorId: 'host-a',
    pid: 4711,
    state: 'exited',
    startedAt: new Date('2026-01-01T00:00:00.000Z'),
    endedAt: new Date('2026-01-01T00:00:01.000Z'),
    exitCause: 'crashed',
    exitCode: 7,
    stderrTail: 'I give up',
  });
  expect((await get('/api/runs/run_crashed')).body).toEqual({
    id: 'run_crashed',
    agentId,
    projectId,
    purpose: 'chat',
    coordinatorId: 'host-a',
    provider: 'builtin',
    pid: 4711,
    state: 'exited',
    startedAt: '2026-01-01T00:00:00.000Z',
    endedAt: '2026-01-01T00:00:01.000Z',
    exitCause: 'crashed',
    exitCode: 7,
    error: expect.stringMatching(/exit code 7.*retry/),
    // The Coordinator has said nothing of it.
    reason: null,
    stderrTail: 'I give up',
  });
  expect((await get('/api/runs/run_nope')).body.error.code).toBe('run_not_found');
});

test('a log is read from its last lines, then from the byte where the previous answer ended', async () => {
  const id = await insertRun({ id: 'run_logged' });
  await writeLog(id, '一\n二\n三\n');
  const last = await get(`/api/runs/${id}/log?tail=1`);
  expect(last.text).toBe('三\n');
  expect(last.headers).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'x-log-start': '8',
    'x-log-end': '12',
  });
  await writeLog(id, '一\n二\n三\n四\n');
  const next = await get(`/api/runs/${id}/log?from=12`);
  expect([next.text, next.headers['x-log-end']]).toEqual(['四\n', '16']);
  expect((await get(`/api/runs/${id}/log`)).text).toBe('一\n二\n三\n四\n');
  expect((await get(`/api/runs/${id}/log?tail=1&from=1`)).status).toBe(400);
  expect((await get(`/api/runs/${id}/log?from=-1`)).status).toBe(400);
});

test('a log on another host is not found, and the host is named', async () => {
  const id = await insertRun({ id: 'run_elsewhere', host: 'other-host' });
  const { status, body } = await get(`/api/runs/${id}/log`);
  expect([status, body.error.code]).toEqual([404, 'run_log_not_found']);
  expect(body.error.message).toContain('other-host');
  const neverStarted = await insertRun({ id: 'run_never' });
  expect((await get(`/api/runs/${neverStarted}/log`)).body.error.code).toBe('run_log_not_found');
});

test('stopping is accepted, again and after the end', async () => {
  const id = await insertRun({ id: 'run_stop', state: 'running' });
  const owner = await world.owner();
  const stop = () => world.call(owner, 'POST', `/api/runs/${id}/stop`);
  expect(await stop()).toMatchObject({ status: 202, body: { accepted: true } });
  expect((await get(`/api/runs/${id}`)).body).toMatchObject({
    state: 'stopping',
    stopReason: 'stopped_by_person',
  });
  expect((await stop()).status).toBe(202);
  const over = await insertRun({ id: 'run_over', state: 'exited', exitCause: 'finished' });
  expect((await world.call(owner, 'POST', `/api/runs/${over}/stop`)).status).toBe(202);
  expect((await get(`/api/runs/${over}`)).body).not.toHaveProperty('stopReason');
});
