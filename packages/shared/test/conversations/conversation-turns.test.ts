import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkInvariants } from '../../src/testing/invariants.ts';
import type { ServiceWorld } from '../../src/testing/service-world.ts';
import { reportTask, workingOnTask } from '../tasks/task-work-support.ts';
import { type Talker, TalkWorld } from './conversation-support.ts';

/* A turn is no silence: while a side works that has to speak next, or to join, the clock of a conversation stands still. */

// One for each test: the true clock, by which Postgres notes who was seen, must not fall behind by the limit of turns.
let talk: TalkWorld;
let world: ServiceWorld;
beforeEach(async () => {
  talk = await TalkWorld.create();
  world = talk.services;
});
afterEach(() => world.close());

const stateOf = async (id: string) => (await talk.view(id)).state;
const invariants = () => checkInvariants(world.database);

const TURN = { phase: 'tool', holdSeconds: 10 };
/** Time passes for everybody but the Coordinator of their runs. */
async function pass(seconds: number): Promise<void> {
  world.clock.advance(seconds * 1_000);
  // The silence of our own runners is measured by the true clock.
  const { rows } = await world.database.pool.query<{ id: string }>(
    `update agent_runs set provider = 'command' where state <> 'exited' returning id`,
  );
  await world.coordinator(
    'host-a',
    rows.map(({ id }) => id),
  );
}
/** It beats for so long, as a runner does. */
async function work(agent: Talker, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 10) {
    await world.sessions.beat(agent.caller, TURN);
    await pass(10);
  }
}

it('an answer that takes longer than the silence is stored, and the clock begins with the end of the turn', async () => {
  const { a, b, id } = await talk.talking();
  await talk.say(a, b, 'りんご');
  await talk.read(b);
  await work(b, 700);
  await world.sweeper.runOnce();
  expect(await talk.next(a), 'who waits is told nothing').toEqual({ kind: 'wait' });
  expect(await stateOf(id)).toBe('active');
  await world.delivery.respond(b.caller, { content: 'ごりら' });
  expect(await talk.read(a)).toMatchObject({ words: ['ごりら'] });
  expect(await invariants()).toEqual([]);
});

/** It answers a person. */
async function answerInChat(agent: Talker): Promise<void> {
  const { projectId, agentId } = agent;
  await world.chat.post(world.owner, { projectId, agentId, content: 'Please work' });
  expect(await talk.read(agent)).toMatchObject({ words: ['Please work'] });
}

it.each(['to read', 'to answer'])('who has a message %s is waited for while it works', async (what) => {
  const { a, b, id } = await talk.talking();
  if (what === 'to read') await answerInChat(b);
  await talk.say(a, b, 'りんご');
  if (what === 'to answer') await talk.read(b);
  await work(b, 700);
  await world.sweeper.runOnce();
  expect(await stateOf(id)).toBe('active');
  await world.delivery.respond(b.caller, { content: 'ごりら' });
  if (what === 'to read') expect(await talk.read(b)).toMatchObject({ words: ['りんご'] });
  else expect(await talk.read(a)).toMatchObject({ words: ['ごりら'] });
  expect(await invariants()).toEqual([]);
});

it('the clock begins when the turn is over without a word', async () => {
  const { a, b, id } = await talk.talking();
  await talk.say(a, b, 'りんご');
  await talk.read(b);
  await work(b, 700);
  await world.delivery.respond(b.caller, {});
  await world.sweeper.runOnce();
  expect(await stateOf(id)).toBe('active');
  await pass(601);
  await world.sweeper.runOnce();
  expect(await talk.view(id)).toMatchObject({ state: 'terminating', endReason: 'timeout' });
});

it('a crash in a long turn leaves the conversation to the next process', async () => {
  const { a, b, id } = await talk.talking();
  await talk.say(a, b, 'りんご');
  await talk.read(b);
  await work(b, 700);
  await world.coordination.reportProcessExit({ runId: b.runId, exitCode: 7 });
  await pass(2);
  await world.sweeper.runOnce();
  expect(await stateOf(id)).toBe('active');
  const next = await talk.signIn(b);
  expect(await talk.read(next)).toMatchObject({ words: ['りんご'] });
});

it('who beats for ever is waited for as long as half a turn may last, and is silent then', async () => {
  const { a, b, id } = await talk.talking();
  // 240 beats may take a busy machine longer than the ten seconds that are left then.
  await world.clock.frozen(async () => {
    await talk.say(a, b, 'りんご');
    await work(b, 2_390);
    expect(await talk.next(a)).toEqual({ kind: 'wait' });
    await work(b, 20);
    await talk.next(a);
  });
  expect(await talk.view(id)).toMatchObject({ state: 'terminating', endReason: 'timeout' });
});

it('who has nothing to say of it is not waited for, whatever it works on', async () => {
  const { a, b, id } = await talk.talking();
  await talk.say(a, b, 'りんご');
  await talk.read(b);
  await world.delivery.respond(b.caller, { content: 'ごりら' });
  await talk.read(a);
  await world.delivery.respond(a.caller, {});
  await work(b, 600);
  await world.sweeper.runOnce();
  expect(await talk.view(id)).toMatchObject({ state: 'terminating', endReason: 'timeout' });
});

/** The participant answers a person when the other one begins a conversation. */
async function askedWhileBusy() {
  const { a, b: sleeping } = await talk.workers();
  const b = await talk.warm(sleeping);
  await answerInChat(b);
  const { conversation } = await world.talks.start(a.caller, {
    targetAgentId: b.agentId,
    initialMessage: 'いますか',
  });
  return { a, b, sleeping, id: conversation.id };
}

it('a participant in another turn is waited for until it can join', async () => {
  const { a, b, sleeping, id } = await askedWhileBusy();
  const asked = await world.coordination.getAgentAction({ ...sleeping, coordinatorId: 'host-a' });
  expect(asked).toEqual({ action: 'hold', reason: 'already_running' });
  await work(b, 400);
  await world.delivery.respond(b.caller, { content: 'Done.' });
  await world.sweeper.runOnce();
  expect(await talk.next(a)).toEqual({ kind: 'wait' });
  expect(await talk.hear(b)).toMatchObject({ action: 'request', conversationId: id });
  expect(await talk.read(b)).toMatchObject({ words: ['いますか'] });
  expect(await invariants()).toEqual([]);
});

it('a participant that crashes in another turn has the whole time to join again', async () => {
  const { b, id } = await askedWhileBusy();
  await work(b, 400);
  await world.coordination.reportProcessExit({ runId: b.runId, exitCode: 7 });
  await pass(280);
  await world.sweeper.runOnce();
  expect(await stateOf(id)).toBe('pending');
  // It would end the conversation, too.
  await world.database.pool.query('delete from pending_agent_purposes');
  await pass(40);
  await world.sweeper.runOnce();
  expect(await stateOf(id)).toBe('expired');
});

/** They talk, and nobody holds the side of B: its task has left it while its chat answers a person. */
async function leftByTask() {
  const { a, b: sleeping } = await talk.workers();
  const task: Talker = { ...sleeping, ...(await workingOnTask(world, sleeping)) };
  const { conversation } = await world.talks.start(task.caller, { targetAgentId: a.agentId });
  expect(await talk.hear(a)).toMatchObject({ action: 'request' });
  const b = await talk.warm(sleeping);
  await answerInChat(b);
  await reportTask(world, task);
  await world.sessions.logout(task.caller);
  await world.coordination.reportProcessExit({ runId: task.runId, exitCode: 0 });
  return { a, b, id: conversation.id };
}

it.each(['ends', 'crashes'])(
  'a side that no session holds is waited for until the turn of its agent %s',
  async (how) => {
    const { a, b, id } = await leftByTask();
    await talk.say(a, b, 'りんご');
    await work(b, 700);
    if (how === 'crashes') await world.coordination.reportProcessExit({ runId: b.runId, exitCode: 7 });
    await pass(2);
    await world.sweeper.runOnce();
    expect(await stateOf(id)).toBe('active');
    const next = how === 'crashes' ? await talk.signIn(b) : b;
    if (how === 'crashes') expect(await talk.read(next)).toMatchObject({ words: ['Please work'] });
    await world.delivery.respond(next.caller, { content: 'Done.' });
    await talk.next(next);
    expect(await talk.read(next)).toMatchObject({ words: ['りんご'] });
    expect(await invariants()).toEqual([]);
  },
);

it('the turn of a task does not count for a side that waits for the chat of its agent', async () => {
  const { a, b, id } = await leftByTask();
  const other: Talker = { ...b, ...(await workingOnTask(world, b)) };
  await talk.say(a, b, 'りんご');
  await work(other, 590);
  await world.coordination.reportProcessExit({ runId: other.runId, exitCode: 7 });
  await pass(20);
  await world.sweeper.runOnce();
  expect(await talk.view(id)).toMatchObject({ state: 'terminating', endReason: 'timeout' });
});
