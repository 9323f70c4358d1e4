import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CachedSettings, SettingsService } from '../../src/core/settings/settings-service.ts';
import { TaskService } from '../../src/core/tasks/task-service.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import {
  expectInvariants,
  rawClient,
  rowOf,
  sweepSchedules,
  takeStart,
  untilBlocked,
} from '../chat/chat-support.ts';
import { refusal } from '../conversations/conversation-support.ts';

/**
 * What people change about people, agents, projects, tasks, schedules and settings, two of them at once. A gate holds
 * the first where it has looked and not yet written; the second comes in between.
 */
let world: ServiceWorld;
let tasks: TaskService;
beforeAll(async () => {
  world = await ServiceWorld.create();
  tasks = new TaskService(world.deps);
});
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

/** Runs `first` up to the lock that `gate` takes, then `second` until it is done or waits too, then lets both go on. */
async function between<A, B>(
  gate: (client: pg.Client) => Promise<unknown>,
  first: () => Promise<A>,
  second: () => Promise<B>,
): Promise<[A, B]> {
  const client = await rawClient(world);
  await client.query('begin');
  await gate(client);
  const one = first();
  await untilBlocked(world, 1);
  const other = second();
  await Promise.race([other.catch(() => undefined), untilBlocked(world, 2)]);
  await client.query('commit');
  await client.end();
  return Promise.all([one, other]);
}
const locks = (table: string, column: string, id: string) => (client: pg.Client) =>
  client.query(`select from ${table} where ${column} = $1 for update`, [id]);
const remove = (membership: WorldAgent) => refusal(world.projects.removeAgent(world.owner, membership));
const archive = ({ projectId }: WorldAgent) =>
  refusal(world.projects.update(world.owner, projectId, { status: 'archived' }));

describe('people and agents', () => {
  it('of two owners who step down at once, one stays', async () => {
    await world.agents.create(world.owner, {
      id: 'other_owner',
      name: 'Other',
      type: 'human',
      accessLevel: 'owner',
    });
    const stepDown = (id: string) => refusal(world.agents.update(world.owner, id, { accessLevel: 'member' }));
    const results = await between(
      locks('agents', 'id', 'other_owner'),
      () => stepDown('owner'),
      () => stepDown('other_owner'),
    );
    expect(results.toSorted()).toEqual(['last_owner', 'no refusal']);
    await world.database.db
      .updateTable('agents')
      .set({ accessLevel: 'owner' })
      .where('id', '=', 'owner')
      .execute();
    await world.agents.remove(world.owner, 'other_owner');
  });

  it('an id that two take at once is one agent', async () => {
    const make = () =>
      refusal(world.agents.create(world.owner, { id: 'agt_twice', name: 'Twice', type: 'ai' }));
    expect((await Promise.all([make(), make()])).toSorted()).toEqual(['id_taken', 'no refusal']);
  });

  it('who is deleted while he is added is no member', async () => {
    const { projectId } = await world.agentInProject();
    await world.agents.create(world.owner, { id: 'agt_short', name: 'Short', type: 'ai' });
    const membership = { projectId, agentId: 'agt_short' };
    await between(
      locks('projects', 'id', projectId),
      () => refusal(world.projects.putAgent(world.owner, membership)),
      () => refusal(world.agents.remove(world.owner, 'agt_short')),
    );
    const { agents } = await world.projects.listAgents(world.owner, projectId, { limit: 50 });
    expect(agents.map(({ id }) => id)).not.toContain('agt_short');
  });

  it('added twice and removed twice at once: a member, and none', async () => {
    const { projectId } = await world.agentInProject();
    const membership = { projectId, agentId: 'agt_twice' };
    const put = () => refusal(world.projects.putAgent(world.owner, membership));
    expect(await Promise.all([put(), put()])).toEqual(['no refusal', 'no refusal']);
    expect((await Promise.all([remove(membership), remove(membership)])).toSorted()).toEqual([
      'agent_not_found',
      'no refusal',
    ]);
  });
});

describe('somebody goes away meanwhile', () => {
  it('no task is left with an agent that is removed while it is given one', async () => {
    const membership = await world.agentInProject();
    const { projectId, agentId } = membership;
    await between(
      locks('projects', 'id', projectId),
      () => refusal(tasks.create(world.owner, projectId, { title: 'Whose?', assigneeId: agentId })),
      () => remove(membership),
    );
    const { tasks: left } = await tasks.list(world.owner, projectId, { limit: 50 });
    expect(left.filter(({ assigneeId }) => assigneeId === agentId)).toEqual([]);
  });

  it('nor by a change of the task', async () => {
    const membership = await world.agentInProject();
    const { id, version } = await tasks.create(world.owner, membership.projectId, { title: 'Whose?' });
    await between(
      locks('tasks', 'id', id),
      () => refusal(tasks.update(world.owner, id, { version, assigneeId: membership.agentId })),
      () => remove(membership),
    );
    expect(await tasks.get(world.owner, id)).not.toHaveProperty('assigneeId', membership.agentId);
  });

  it('no schedule goes on for an agent that is removed while it is made', async () => {
    const membership = await world.agentInProject();
    await between(
      locks('projects', 'id', membership.projectId),
      () =>
        refusal(
          world.schedules.create(world.owner, membership.projectId, {
            agentId: membership.agentId,
            cron: '* * * * *',
            prompt: 'Report',
            enabled: true,
            onMissed: 'skip',
          }),
        ),
      () => remove(membership),
    );
    const { schedules } = await world.schedules.list(world.owner, membership.projectId, { limit: 50 });
    expect(schedules.filter(({ enabled }) => enabled)).toEqual([]);
  });

  it.each<[string, (membership: WorldAgent) => Promise<unknown>]>([
    ['opened', (membership) => world.chat.start(world.owner, membership)],
    ['given a fresh context', (membership) => world.chat.newContext(world.owner, membership)],
    ['written to', (membership) => world.chat.post(world.owner, { ...membership, content: 'too late' })],
  ])('a chat that is %s while its project is archived wakes nobody', async (_what, act) => {
    const membership = await world.agentInProject();
    const results = await between(
      locks('project_agents', 'agent_id', membership.agentId),
      () => archive(membership),
      () => refusal(act(membership)),
    );
    expect(results).toEqual(['no refusal', 'project_archived']);
    expect(await rowOf(world, membership)).toBeUndefined();
  });

  it('a start that is taken while the folder of the project changes begins in the new one', async () => {
    const membership = await world.agentInProject();
    await world.coordinator();
    await world.chat.start(world.owner, membership);
    const workingDirectory = path.join(world.root, 'moved');
    await mkdir(workingDirectory);
    const [start, moved] = await between(
      locks('agents', 'id', membership.agentId),
      () => takeStart(world, membership),
      () => refusal(world.projects.update(world.owner, membership.projectId, { workingDirectory })),
    );
    const project = await world.projects.get(world.owner, membership.projectId);
    expect(start.workingDirectory, moved).toBe(project.workingDirectory);
    await world.coordination.reportProcessExit({ runId: start.runId, exitCode: 0 });
    // chat.jsonl follows its project with the next line.
    await world.chat.post(world.owner, { ...membership, content: 'Moved?' });
    await world.chat.end(world.owner, { ...membership, force: true });
  });
});

it('two settings that two people change at once both stand', async () => {
  const { database, clock } = world;
  const service = () =>
    new SettingsService({
      database,
      clock,
      settings: new CachedSettings({ database, clock, environment: {} }),
    });
  await Promise.all([
    service().update(world.owner, { chainMaxMessages: 12 }),
    service().update(world.owner, { viewerLeaseSeconds: 33 }),
  ]);
  expect(await service().get(world.owner)).toMatchObject({ chainMaxMessages: 12, viewerLeaseSeconds: 33 });
  await service().update(world.owner, { chainMaxMessages: null, viewerLeaseSeconds: null });
});

it('a prompt that two sweepers find due at once is given once', async () => {
  const membership = await world.agentInProject();
  await world.schedules.create(world.owner, membership.projectId, {
    agentId: membership.agentId,
    cron: '* * * * *',
    prompt: 'Once',
    enabled: true,
    onMissed: 'once',
  });
  // A minute that begins between them would make the next prompt due.
  await world.clock.frozen(async () => {
    world.clock.advance(61_000);
    await Promise.all([sweepSchedules(world), sweepSchedules(world)]);
  });
  const { messages } = await world.history.list(world.owner, { ...membership, limit: 50 });
  expect(messages.filter(({ content }) => content === 'Once')).toHaveLength(1);
  await world.chat.end(world.owner, { ...membership, force: true });
});
