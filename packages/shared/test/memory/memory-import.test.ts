import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Person } from '../../src/core/access/person.ts';
import { MemoryImport } from '../../src/core/memory/import/memory-import.ts';
import { MemoryService } from '../../src/core/memory/memory-service.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { retrievalOf } from './memory-support.ts';

let world: ServiceWorld;
let imports: MemoryImport;
let memory: MemoryService;
beforeAll(async () => {
  world = await ServiceWorld.create();
  imports = new MemoryImport(world.deps);
  memory = new MemoryService(world.deps);
});
afterAll(() => world.close());

const line = (values: object) =>
  JSON.stringify({ createdAt: '2025-05-06T07:08:09.010Z', clientId: 'mika', ...values });

/** In pieces of seven bytes, so that lines and characters are cut anywhere. */
async function* pieces(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += 7) yield bytes.subarray(start, start + 7);
}

async function* whole(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

const importText = (
  agentId: string,
  lines: readonly string[],
  options: { person?: Person; projectId?: string } = {},
) =>
  imports.run(
    options.person ?? world.owner,
    { agentId, projectId: options.projectId },
    pieces(lines.join('\n')),
  );

const refused = (
  agentId: string,
  lines: readonly string[],
  options: { person?: Person; projectId?: string } = {},
) =>
  importText(agentId, lines, options).then(
    () => 'imported',
    (error: { code: string; details?: unknown }) => ({ code: error.code, details: error.details }),
  );

const eventsOf = async (agentId: string, projectId?: string) =>
  (await memory.listEvents(world.owner, agentId, { limit: 200, projectId })).events;

it('stores lines in order, with what they name, and finds them when it returns', async () => {
  const { agentId, projectId } = await world.agentInProject();
  const lines = [
    `\ufeff${line({ userText: '猫の名前はタマです', sourceRef: 'a', projectId })}\r`,
    '',
    line({
      actor: 'Ken',
      assistantText: 'a dog',
      caption: 'a picture',
      threadId: 't',
      createdAt: '2025-05-06T09:08:09+02:00',
    }),
  ];
  expect(await importText(agentId, lines)).toEqual({ imported: 2, skipped: 0 });
  expect(await eventsOf(agentId)).toEqual([
    expect.objectContaining({ userText: '猫の名前はタマです', sourceRef: 'a', projectId, source: 'import' }),
    expect.objectContaining({
      actor: 'Ken',
      assistantText: 'a dog',
      caption: 'a picture',
      createdAt: '2025-05-06T07:08:09.000Z',
    }),
  ]);
  const retrieval = retrievalOf(world);
  const found = await retrieval.search(
    { agentId, projectId },
    { query: '猫の名前', limit: 5, expand: false },
  );
  expect(found.items[0]?.sourceRefs).toEqual(['a']);
});

it('skips what it knows, also when the same is imported twice at once', async () => {
  const { agentId } = await world.agentInProject();
  const lines = Array.from({ length: 450 }, (_, index) =>
    line({ userText: `line ${index}`, sourceRef: `r${index}` }),
  );
  const results = await Promise.all([importText(agentId, lines), importText(agentId, lines)]);
  expect(results.map(({ imported, skipped }) => imported + skipped)).toEqual([450, 450]);
  expect(results.reduce((sum, { imported }) => sum + imported, 0)).toBe(450);
  expect(await importText(agentId, [...lines, line({ sourceRef: 'new' })])).toEqual({
    imported: 1,
    skipped: 450,
  });
  expect(await importText(agentId, [])).toEqual({ imported: 0, skipped: 0 });
});

it('reads one batch ahead, and then waits for the database', async () => {
  const { agentId } = await world.agentInProject();
  let read = 0;
  async function* lines() {
    for (; read < 1_000; read += 1) yield Buffer.from(`${line({ userText: `line ${read}` })}\n`);
  }
  const other = await world.database.pool.connect();
  await other.query('begin');
  await other.query('lock table memory_events');
  const result = imports.run(world.owner, { agentId }, lines());
  await expect.poll(() => read).toBeGreaterThanOrEqual(399);
  await expect.poll(() => waitingForLocks()).toBe(1);
  expect(read).toBeLessThanOrEqual(400);
  await other.query('commit');
  other.release();
  expect(await result).toEqual({ imported: 1_000, skipped: 0 });
});

async function waitingForLocks(): Promise<number> {
  const { rowCount } = await world.database.pool.query(
    `select from pg_locks where not granted and relation = 'memory_events'::regclass`,
  );
  return rowCount ?? 0;
}

describe('a line that is not valid', () => {
  const good = line({ userText: 'stands', sourceRef: 'good' });
  const soon = (ms: number) => new Date(world.clock.now().getTime() + ms).toISOString();
  const DAY_MS = 24 * 60 * 60 * 1_000;

  it.each([
    ['no JSON', 'not json', 'not JSON'],
    ['no object', '[1]', 'expected object'],
    ['without an instant', JSON.stringify({ clientId: 'x' }), 'createdAt'],
    ['without a client', JSON.stringify({ createdAt: '2025-01-01T00:00:00Z' }), 'clientId'],
    ['with an unknown key', line({ text: 'x' }), 'text'],
    ['with a text that cannot be stored', line({ userText: 'a\u0000b' }), 'userText'],
    ['before the year 1', line({ createdAt: '0000-01-01T00:00:00Z' }), 'createdAt'],
    ['of more than 1 MiB', line({ userText: 'x'.repeat(1_048_576) }), 'longer than 1048576 bytes'],
    ['of an unknown project', line({ projectId: 'prj_unknown' }), 'projectId'],
  ])('is named, and the lines before it stand: %s', async (_what, bad, reason) => {
    const { agentId } = await world.agentInProject();
    const body = [good, '', bad, line({ userText: 'not reached' })].join('\n');
    const run = () => imports.run(world.owner, { agentId }, whole(body));
    await expect(run()).rejects.toMatchObject({
      code: 'invalid_input',
      details: { line: 3, imported: 1, skipped: 0, reason: expect.stringContaining(reason) },
    });
    await expect(run()).rejects.toMatchObject({ details: { line: 3, imported: 0, skipped: 1 } });
    expect(await eventsOf(agentId)).toHaveLength(1);
  });

  it('is one of more than a day in the future', async () => {
    const { agentId } = await world.agentInProject();
    expect(await importText(agentId, [line({ createdAt: soon(DAY_MS - 1_000) })])).toMatchObject({
      imported: 1,
    });
    expect(await refused(agentId, [line({ createdAt: soon(DAY_MS + 60_000) })])).toMatchObject({
      details: { line: 1, reason: 'createdAt: in the future' },
    });
  });

  it('is one of bytes that are not UTF-8', async () => {
    const { agentId } = await world.agentInProject();
    async function* broken() {
      yield Buffer.from([0x22, 0xff, 0x22]);
    }
    await expect(imports.run(world.owner, { agentId }, broken())).rejects.toMatchObject({
      details: { line: 1 },
    });
  });
});

describe('who imports where', () => {
  const person = async (accessLevel: 'member' | 'viewer', projects: readonly string[]): Promise<Person> => {
    const id = `person_${Math.random().toString(36).slice(2, 10)}`;
    await world.agents.create(world.owner, { id, name: id, type: 'human', accessLevel });
    for (const projectId of projects) await world.projects.putAgent(world.owner, { projectId, agentId: id });
    return { id, name: id, accessLevel };
  };

  it('gives a member’s lines their project, and refuses one of a project that the member does not see', async () => {
    const { agentId, projectId } = await world.agentInProject();
    const other = await world.agentInProject({ name: 'Colleague' });
    await world.projects.putAgent(world.owner, { projectId: other.projectId, agentId });
    const member = await person('member', [projectId]);
    const as = { person: member, projectId };
    expect(await importText(agentId, [line({ userText: 'mine' })], as)).toMatchObject({ imported: 1 });
    expect(await eventsOf(agentId)).toEqual([expect.objectContaining({ projectId })]);
    expect(await refused(agentId, [line({ projectId: other.projectId })], as)).toMatchObject({
      code: 'invalid_input',
      details: { line: 1 },
    });
    expect(await refused(agentId, [], { person: member })).toMatchObject({ code: 'invalid_input' });
    expect(await refused(agentId, [], { person: member, projectId: other.projectId })).toMatchObject({
      code: 'project_not_found',
    });
  });

  it('refuses viewers, people as agents, and archived projects', async () => {
    const { agentId, projectId } = await world.agentInProject();
    const viewer = await person('viewer', [projectId]);
    expect(await refused(agentId, [], { person: viewer, projectId })).toMatchObject({ code: 'forbidden' });
    expect(await refused(viewer.id, [], { projectId })).toMatchObject({ code: 'agent_is_human' });
    await world.projects.update(world.owner, projectId, { status: 'archived' });
    expect(await refused(agentId, [], { projectId })).toMatchObject({ code: 'project_archived' });
  });

  it('ends when the right is taken away meanwhile', async () => {
    const { agentId, projectId } = await world.agentInProject();
    const member = await person('member', [projectId]);
    async function* takenAway() {
      yield Buffer.from(line({ userText: 'too late' }));
      await world.projects.removeAgent(world.owner, { projectId, agentId: member.id });
    }
    await expect(imports.run(member, { agentId, projectId }, takenAway())).rejects.toMatchObject({
      code: 'project_not_found',
    });
    expect(await eventsOf(agentId)).toEqual([]);
  });
});
