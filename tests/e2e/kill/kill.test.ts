import { openDatabase } from '@aizuchi/shared/platform/db/database';
import { checkInvariants } from '@aizuchi/shared/testing/invariants';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseUrlOf, postgresPid, readServices, until } from '../start/product-process.ts';
import { testContainers } from './containers.ts';
import { KillWorld } from './kill-support.ts';
import { testNodes } from './nodes.ts';

let world: KillWorld;
beforeAll(async () => {
  world = await KillWorld.start();
});
afterAll(async () => {
  await world.product.stop();
});

type MembershipKey = { projectId: string; agentId: string; folder: string };

/**
 * Checks that every acknowledged message exists once and was answered once, and that the transcript equals the
 * database.
 */
async function expectNothingLostIn(
  world: KillWorld,
  membership: MembershipKey,
  acknowledged: readonly string[],
): Promise<void> {
  const messages = await world.messages(membership);
  const people = messages.filter((message) => message.sender === 'user');
  expect(people.map((message) => message.id).sort()).toEqual([...acknowledged].sort());
  expect(people.every((message) => message.state === 'answered')).toBe(true);
  // The line is written after the commit: it exists when respond_chat has returned, which the test cannot see.
  await until(async () => {
    const standing = new Set((await world.transcript(membership)).map((line) => line.id));
    return messages.every((message) => standing.has(message.id));
  });
  const lines = await world.transcript(membership);
  expect(new Set(lines.map((line) => line.id)).size).toBe(lines.length);
  expect(messages.map((message) => message.id)).toEqual(
    lines.filter((line) => messages.some((message) => message.id === line.id)).map((line) => line.id),
  );
}

const expectNothingLost = (membership: MembershipKey, acknowledged: readonly string[]) =>
  expectNothingLostIn(world, membership, acknowledged);

describe('killed with -9 between two messages', () => {
  for (const name of ['rest-api', 'mcp-server', 'coordinator', 'memory']) {
    it(`${name}: the next message is answered, nothing is lost or doubled`, async () => {
      const membership = await world.makeAgent(`between_${name.replace('-', '_')}`);
      await world.open(membership);
      const first = await world.write(membership, 'タスクの進捗を教えてください', 'm1');
      await world.answered(membership, first.id);
      await world.killService(name);
      const second = await world.write(membership, 'How are the tasks going?', 'm2');
      await world.answered(membership, second.id);
      await expectNothingLost(membership, [first.id, second.id]);
      expect((await world.messages(membership)).filter((message) => message.sender === 'agent')).toHaveLength(
        2,
      );
    });
  }

  it('the agent: the next message starts another process', async () => {
    const membership = await world.makeAgent('between_agent');
    await world.open(membership);
    const first = await world.write(membership, 'タスクの進捗を教えてください', 'm1');
    await world.answered(membership, first.id);
    process.kill(await world.runningPid(membership), 'SIGKILL');
    const second = await world.write(membership, 'How are the tasks going?', 'm2');
    await world.answered(membership, second.id);
    await expectNothingLost(membership, [first.id, second.id]);
  });
});

describe('killed with -9 while a message is being answered', () => {
  it('mcp-server: the same session answers it once', async () => {
    const agent = await world.makeWaitingAgent('middle_mcp');
    await world.open(agent);
    const message = await world.write(agent, 'hello', 'm1');
    const taken = await agent.taken(1);
    expect(taken.given).toEqual([{ id: message.id, content: 'hello' }].map(({ id }) => ({ id })));
    await world.killService('mcp-server');
    await agent.letGo();
    await world.answered(agent, message.id);
    const answers = (await world.messages(agent)).filter((one) => one.sender === 'agent');
    expect(answers.map((one) => one.content)).toEqual([`answer to ${message.id}`]);
    await expectNothingLost(agent, [message.id]);
  });

  it('rest-api: a message whose acknowledgement was cut off is stored once', async () => {
    const agent = await world.makeWaitingAgent('middle_rest');
    await agent.letGo();
    await world.open(agent);
    const writes = Array.from({ length: 20 }, (_, index) => world.write(agent, `text ${index}`, `m${index}`));
    const killed = world.killService('rest-api');
    const stored = await Promise.all(writes);
    await killed;
    expect(new Set(stored.map((message) => message.id)).size).toBe(20);
    for (const message of stored) await world.answered(agent, message.id);
    await expectNothingLost(
      agent,
      stored.map((message) => message.id),
    );
  });

  it('the agent: the next session gets it, marked redelivered', async () => {
    const agent = await world.makeWaitingAgent('middle_agent');
    await world.open(agent);
    const message = await world.write(agent, 'hello', 'm1');
    const { pid } = await agent.taken(1);
    process.kill(pid, 'SIGKILL');
    const again = await agent.taken(2);
    expect(again.pid).not.toBe(pid);
    expect(again.given).toEqual([{ id: message.id, redelivered: true }]);
    await agent.letGo();
    await world.answered(agent, message.id);
    await expectNothingLost(agent, [message.id]);
  });

  it('the Coordinator: its agents end with it, the next session answers the held message', async () => {
    const agent = await world.makeWaitingAgent('middle_coordinator');
    await world.open(agent);
    const message = await world.write(agent, 'hello', 'm1');
    const { pid } = await agent.taken(1);
    await world.killService('coordinator');
    await until(() => !isAlive(pid));
    const again = await agent.taken(2);
    expect(again.given).toEqual([{ id: message.id, redelivered: true }]);
    await agent.letGo();
    await world.answered(agent, message.id);
    await expectNothingLost(agent, [message.id]);
  });

  it('Postgres: every process recovers by itself', async () => {
    const agent = await world.makeWaitingAgent('middle_postgres');
    await world.open(agent);
    const message = await world.write(agent, 'hello', 'm1');
    await agent.taken(1);
    const pid = await postgresPid(world.home);
    process.kill(pid, 'SIGKILL');
    await agent.letGo();
    const second = await world.write(agent, 'after', 'm2');
    await world.answered(agent, message.id);
    await world.answered(agent, second.id);
    await expectNothingLost(agent, [message.id, second.id]);
  });
});

it('a question survives the death of mcp-server, rest-api and its agent, and is answered once', async () => {
  const agent = await world.makeAskingAgent('asks');
  await world.open(agent);
  const message = await world.write(agent, 'hello', 'm1');
  const cards = await world.pendingCards(agent);
  expect(cards).toHaveLength(1);
  await world.killService('mcp-server');
  await world.killService('rest-api');
  expect(await world.pendingCards(agent)).toEqual(cards);
  process.kill(await world.runningPid(agent), 'SIGKILL');
  // The next process of the agent is given the message again and asks the same question.
  await until(async () => (await world.redelivered(agent, message.id)) && (await world.sessions(agent)) > 0);
  expect(await world.pendingCards(agent)).toEqual(cards);
  await world.call('POST', `/questions/${cards[0]}/answer`, { answers: { 0: '1' } });
  await world.answered(agent, message.id);
  const answers = (await world.messages(agent)).filter((one) => one.sender === 'agent');
  expect(answers.map((one) => one.content)).toEqual(['["answered",{"Which library?":"SWR"}]']);
  await expectNothingLost(agent, [message.id]);
});

it('afterwards the invariants hold, and every service is ready', async () => {
  const database = openDatabase({ url: await databaseUrlOf(world.home), maxConnections: 2 });
  try {
    expect(await checkInvariants(database)).toEqual([]);
  } finally {
    await database.close();
  }
  for (const service of await readServices(world.home))
    await until(async () => (await fetch(`${service.url}/readyz`)).status === 200);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const missing = await testContainers();
if (missing !== undefined)
  process.stderr.write(`the product with runs in containers is left out: ${missing}\n`);
const without = await testNodes(expectNothingLostIn);
if (without !== undefined) process.stderr.write(`the loss of a node of a swarm is left out: ${without}\n`);
