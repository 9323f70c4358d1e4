import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keys } from '../../src/platform/change-log/keys.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { expectInvariants, runOf, statusOf } from './chat-support.ts';

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
  await world.coordinator();
});
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

describe('what a person sees of an agent', () => {
  it('how far the image is that its run waits for, as the Coordinator of the run says', async () => {
    const membership = await world.agentInProject();
    await world.chat.start(world.owner, { ...membership, viewerId: 'v' });
    const start = await world.coordination.getAgentAction({ ...membership, coordinatorId: 'host-a' });
    if (start.action !== 'start') throw new Error('held');
    const { runId } = start;
    const beat = { host: 'host-a', bootId: 'boot', capacity: 1_000, running: [runId], labels: [], roots: [] };
    const says = async (coordinatorId: string, pulling?: { runId: string; percent: number }[]) => {
      world.dirtyKeys.length = 0;
      await world.coordination.beat({ ...beat, coordinatorId, pulling });
      const { phase, pullPercent } = await statusOf(world, membership);
      return [phase, pullPercent, world.dirtyKeys.includes(keys.log(membership.projectId))];
    };
    expect(await says('host-b', [{ runId, percent: 10 }])).toEqual(['picked_up', undefined, false]);
    expect(await says('host-a', [{ runId, percent: 0 }])).toEqual(['pulling', 0, true]);
    expect(await says('host-a', [{ runId, percent: 40 }])).toEqual(['pulling', 40, true]);
    // Readers are told only of changes; a beat without it, as of an older release, changes nothing.
    expect(await says('host-a', [{ runId, percent: 40 }])).toEqual(['pulling', 40, false]);
    expect(await says('host-a')).toEqual(['pulling', 40, false]);
    expect(await says('host-a', [])).toEqual(['picked_up', undefined, true]);
    expect(await says('host-a', [{ runId, percent: 50 }])).toEqual(['pulling', 50, true]);
    const process = { coordinatorId: 'host-a', host: 'h', bootId: 'b', pid: 7, startTicks: 9 };
    await world.coordination.reportProcessStarted({ runId, ...process });
    // What was sent before the process began may come later.
    expect(await says('host-a', [{ runId, percent: 90 }])).toEqual(['sign_in', undefined, false]);
    await world.coordination.reportProcessExit({ runId, exitCode: 0 });
  });

  it('every phase really happened: queued, picked up, process, signed in, busy, ready, ending, gone', async () => {
    const membership = await world.agentInProject();
    const seen: string[] = [];
    const look = async () => {
      const { chat, chatStatus, phase } = await statusOf(world, membership);
      seen.push([chat, chatStatus, phase].filter((part) => part !== undefined).join(' '));
    };
    await look();
    await world.chat.start(world.owner, { ...membership, viewerId: 'v' });
    await look();
    const start = await world.coordination.getAgentAction({ ...membership, coordinatorId: 'host-a' });
    if (start.action !== 'start') throw new Error('held');
    await look();
    const process = { coordinatorId: 'host-a', host: 'h', bootId: 'b', pid: 7, startTicks: 9 };
    await world.coordination.reportProcessStarted({ runId: start.runId, ...process });
    expect(await runOf(world, start.runId)).toMatchObject({ host: 'h', bootId: 'b', pid: 7, startTicks: 9 });
    await look();
    await world.sessions.authenticate({ bearer: start.ticket ?? '', address: 'x' });
    const caller = await world.sessions.resolve(start.ticket ?? '');
    await look();
    await world.chat.post(world.owner, { ...membership, content: 'hi' });
    await world.delivery.take(caller);
    await world.sessions.beat(caller, { phase: 'thinking' });
    await look();
    await world.delivery.respond(caller, { content: 'ok' });
    await look();
    await world.chat.end(world.owner, { ...membership, viewerId: 'v' });
    await look();
    await world.sessions.logout(caller);
    await look();
    expect(seen).toEqual([
      '0 none',
      '0 queued',
      '0 starting picked_up',
      '0 starting sign_in',
      '1 ready',
      '1 busy thinking',
      '1 ready',
      '0 ending',
      '0 none',
    ]);
    await world.coordination.reportProcessExit({ runId: start.runId, exitCode: 0 });
  });

  it('says when a ready one falls asleep, and names every AI member, no person', async () => {
    const membership = await world.agentInProject();
    await world.projects.putAgent(world.owner, { projectId: membership.projectId, agentId: 'owner' });
    await world.warmAgent(membership);
    const views = await world.presence.agentSessions(world.owner, membership.projectId);
    expect(Object.keys(views)).toEqual([membership.agentId]);
    const view = views[membership.agentId];
    expect(Date.parse(view?.idleAt ?? '') - Date.parse(view?.since ?? '')).toBe(600_000);
    expect(await world.presence.agentSessions(null, membership.projectId, ['agt_none'])).toEqual({});
  });

  it('all agents of all projects of a person, with unread messages; nothing of other projects', async () => {
    const membership = await world.agentInProject();
    const { caller } = await world.warmAgent(membership);
    await world.chat.post(world.owner, { ...membership, content: 'hi' });
    await world.delivery.take(caller);
    await world.delivery.respond(caller, { content: 'ok' });
    const { projects, agents } = await world.presence.overview(world.owner);
    expect(projects).toContainEqual(expect.objectContaining({ id: membership.projectId, status: 'active' }));
    expect(agents).toContainEqual(expect.objectContaining({ ...membership, state: 'ready', unread: 1 }));
    const { chatStatus, since } = await statusOf(world, membership);
    expect(chatStatus).toBe('ready');
    expect(agents.find(({ agentId }) => agentId === membership.agentId)?.since).toBe(since);
  });

  it('is a matter of members', async () => {
    const membership = await world.agentInProject();
    const stranger = { id: 'nobody', name: 'N', accessLevel: 'member' } as const;
    expect(await world.presence.overview(stranger)).toEqual({ projects: [], agents: [] });
    await expect(world.presence.agentSessions(stranger, membership.projectId)).rejects.toMatchObject({
      code: 'project_not_found',
    });
    await expect(world.presence.pendingPurposes(stranger, membership.projectId)).rejects.toMatchObject({
      code: 'project_not_found',
    });
  });
});

describe('wake-ups as people see them', () => {
  it('stands, started, then what became of it for as long as was asked', async () => {
    const membership = await world.agentInProject();
    const purposes = (recent?: number) =>
      world.presence.pendingPurposes(world.owner, membership.projectId, recent);
    expect(await purposes(60)).toEqual([]);
    await world.chat.start(world.owner, membership);
    expect(await purposes()).toEqual([
      { agentId: membership.agentId, purpose: 'chat', createdAt: expect.any(String), startedAt: null },
    ]);
    const { caller } = await world.signIn(membership);
    expect(await purposes()).toEqual([]);
    expect(await purposes(60)).toMatchObject([
      { outcome: 'authenticated', startedAt: expect.any(String), removedAt: expect.any(String) },
    ]);
    world.clock.advance(61_000);
    expect(await purposes(60)).toEqual([]);
    await world.sessions.logout(caller);
  });
});
