import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Message } from '@aizuchi/shared/contract/chat';
import { runPageSchema } from '@aizuchi/shared/contract/run';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeAgentProgram } from '../../fixtures/agent-program.ts';
import { KillWorld } from '../kill/kill-support.ts';
import { until } from '../start/product-process.ts';
import { Frames } from './frames.ts';
import type { ScriptStep } from './turn-script.ts';

let world: KillWorld;
beforeAll(async () => {
  world = await KillWorld.start();
});
afterAll(async () => {
  expect(await world.product.stop()).toBe(true);
});

const text = (piece: string): ScriptStep => ({ do: 'text', text: piece });
const wait = (file: string): ScriptStep => ({ do: 'wait', file });

/** A project with an agent whose driver streams, an open chat, and a page that follows it. */
async function makeStreamingAgent(name: string) {
  const source = new URL('scripted-runner.ts', import.meta.url);
  const { command, control } = await makeAgentProgram(world.home, name, source);
  const membership = await world.makeAgent(name, { provider: 'command', command });
  const { AIZUCHI_WEB_URL: url = '' } = world.product.environment;
  const frames = await Frames.follow(url, world.token, membership.projectId);
  await world.open(membership);
  let written = 0;
  const events = async () => (await readFile(join(control, 'events.log'), 'utf8')).trimEnd().split('\n');
  return {
    membership,
    frames,
    chat: `/projects/${membership.projectId}/agents/${membership.agentId}/chat`,
    play: (...script: ScriptStep[]) => {
      written += 1;
      return world.write(membership, JSON.stringify(script), `m${written}`);
    },
    letGo: (file: string) => writeFile(join(control, file), ''),
    /** The log of the driver up to an event. */
    eventsUntil: async (event: string) => {
      await until(async () => (await events()).includes(event));
      return events();
    },
    pid: async () => Number((await events()).findLast((event) => event.startsWith('open '))?.split(' ')[1]),
    answers: async (): Promise<Message[]> =>
      (await world.messages(membership)).filter(({ sender }) => sender === 'agent'),
    runs: async () =>
      runPageSchema.parse(await world.call('GET', `/projects/${membership.projectId}/runs`)).runs,
  };
}

it('a partial answer is streamed and then stored once, under the same id', async () => {
  const agent = await makeStreamingAgent('grows');
  const asked = await agent.play(text('Hello, '), wait('one'), text('Owner.'), wait('two'));
  const first = await agent.frames.delta('Hello, ');
  expect(first.offset).toBe(0);
  expect(await agent.answers()).toEqual([]);
  await agent.letGo('one');
  expect(await agent.frames.delta('Owner.')).toMatchObject({ offset: 7, messageId: first.messageId });
  await agent.letGo('two');
  await world.answered(agent.membership, asked.id);
  expect(await agent.answers()).toEqual([
    expect.objectContaining({ id: first.messageId, content: 'Hello, Owner.' }),
  ]);
  await agent.frames.first(({ message }) => message?.id === first.messageId);
  expect(agent.frames.seen.filter(({ type }) => type === 'message_discarded')).toEqual([]);
  await until(async () =>
    (await world.transcript(agent.membership)).some(({ id }) => id === first.messageId),
  );
  agent.frames.close();
});

it('the agent asks during a turn and continues the same turn with the answer', async () => {
  const agent = await makeStreamingAgent('asks');
  const asked = await agent.play(
    text('I have to know. '),
    wait('shown'),
    { do: 'ask', question: 'Which library?', options: ['React Query', 'SWR'] },
    text('. So be it.'),
  );
  const grown = await agent.frames.delta('I have to know. ');
  await agent.letGo('shown');
  const [card = ''] = await world.pendingCards(agent.membership);
  expect(await agent.answers()).toEqual([]);
  await world.call('POST', `/questions/${card}/answer`, { answers: { 0: '1' } });
  await world.answered(agent.membership, asked.id);
  expect(await agent.answers()).toEqual([
    expect.objectContaining({
      id: grown.messageId,
      content: 'I have to know. answered: SWR. So be it.',
    }),
  ]);
  expect(await agent.eventsUntil('turn')).toEqual([expect.stringMatching(/^open /), 'turn']);
  agent.frames.close();
});

it('Stop ends the turn, the partial answer is kept, and the session continues', async () => {
  const agent = await makeStreamingAgent('stopped');
  const asked = await agent.play(text('The first half'), wait('never'), text(' and the second'));
  await agent.frames.delta('The first half');
  await world.call('POST', `${agent.chat}/interrupt`);
  await world.answered(agent.membership, asked.id);
  const next = await agent.play(text('The next answer'));
  await world.answered(agent.membership, next.id);
  expect((await agent.answers()).map(({ content }) => content)).toEqual([
    'The first half',
    'The next answer',
  ]);
  expect(await agent.eventsUntil('interrupted')).toEqual([
    expect.stringMatching(/^open /),
    'turn',
    'interrupted',
    'turn',
  ]);
  agent.frames.close();
});

it('the agent is killed during an answer: it is discarded, the message is redelivered and answered once', async () => {
  const agent = await makeStreamingAgent('killed');
  const asked = await agent.play(text('Half'), wait('second-life'), text(' and whole'));
  const half = await agent.frames.delta('Half');
  const first = await agent.pid();
  process.kill(first, 'SIGKILL');
  await agent.frames.first(
    ({ type, messageId }) => type === 'message_discarded' && messageId === half.messageId,
  );
  await agent.letGo('second-life');
  await world.answered(agent.membership, asked.id);
  expect((await agent.answers()).map(({ content }) => content)).toEqual(['Half and whole']);
  expect(await world.redelivered(agent.membership, asked.id)).toBe(true);
  const second = await agent.pid();
  expect(second).not.toBe(first);
  expect(await agent.eventsUntil('turn redelivered')).toEqual([
    `open ${first} resume nothing`,
    'turn',
    `open ${second} resume session of ${first}`,
    'turn redelivered',
  ]);
  agent.frames.close();
});

it('a closed chat closes the session of the driver, and the run ends without error', async () => {
  const agent = await makeStreamingAgent('closed');
  const asked = await agent.play(text('Hello'));
  await world.answered(agent.membership, asked.id);
  await world.call('POST', `${agent.chat}/end`, { force: true });
  await agent.eventsUntil('closed');
  await until(async () => (await agent.runs()).every(({ state }) => state === 'exited'));
  expect(await agent.runs()).toEqual([expect.objectContaining({ exitCause: 'finished', exitCode: 0 })]);
  agent.frames.close();
});

it('SIGTERM during a turn closes the session of the driver, and no further message is stored', async () => {
  const agent = await makeStreamingAgent('terminated');
  await agent.play(text('Half'), wait('second-life'), text(' and whole'));
  await agent.frames.delta('Half');
  process.kill(await agent.pid(), 'SIGTERM');
  // The next process may write already.
  expect((await agent.eventsUntil('closed')).slice(0, 4)).toEqual([
    expect.stringMatching(/^open /),
    'turn',
    'interrupted',
    'closed',
  ]);
  await until(async () => (await agent.runs()).some(({ state }) => state === 'exited'));
  expect((await agent.runs()).find(({ state }) => state === 'exited')).toMatchObject({ signal: 'SIGTERM' });
  await agent.letGo('second-life');
  await until(async () => (await agent.answers()).length > 0);
  expect((await agent.answers()).map(({ content }) => content)).toEqual(['Half and whole']);
  agent.frames.close();
});
