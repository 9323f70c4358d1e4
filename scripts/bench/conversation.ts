/**
 * One turn between two agents, end to end: a message is sent → the other agent has been told, has read it and sends
 * its answer. Measured twice: with MCP calls only, and between two built-in agents in their own processes, by the
 * times at which their messages were stored. Floor in the same run: one row inserted and a NOTIFY round trip.
 * `npm run bench -- conversation [--samples 400] [--games 6]`
 */
import http from 'node:http';
import { parseArgs } from 'node:util';
import { messagePageSchema } from '@aizuchi/shared/contract/chat';
import { conversationPageSchema } from '@aizuchi/shared/contract/conversation';
import { z } from 'zod';
import { ApiCaller } from '../../tests/e2e/web/support/api-caller.ts';
import { type BenchWorld, openBenchWorld, type WarmAgent } from './support/bench-world.ts';
import { callTool } from './support/mcp-call.ts';
import { openNotifyFloor } from './support/notify-floor.ts';
import { percentiles, row } from './support/statistics.ts';

const { values: options } = parseArgs({
  options: {
    samples: { type: 'string', default: '400' },
    /** Number of conversations of the built-in pair, with 38 messages each. */
    games: { type: 'string', default: '6' },
  },
});
const FLOOR_SAMPLES = 300;
const MAX_MESSAGES = 40;
const ROUNDS = 19;
const GUIDE = '/projects/prj_welcome/agents/agt_welcome_guide/chat';

const sockets = new http.Agent({ keepAlive: true, maxSockets: 16 });
const world = await openBenchWorld('rest-api,mcp-server,coordinator');
try {
  const { AIZUCHI_OWNER_PASSKEY: passkey = '' } = world.product.environment;
  const owner = await ApiCaller.signIn(world.webUrl, 'owner', passkey);
  // The limits exist to stop this much conversation, so they are raised.
  await owner.call(z.unknown(), 'PUT', '/settings', {
    chainMaxMessages: 1_000_000,
    projectAgentMessagesPerHour: 0,
  });
  const floors = await measureFloor(world);
  const calls = await turnsOfCalls(world, Number(options.samples));
  const processes = await turnsOfProcesses(owner, Number(options.games));
  console.log(row('floor: INSERT + NOTIFY round trip', floors));
  console.log(row('one turn by MCP calls alone', calls));
  console.log(row('one turn between two built-in agents', processes));
  console.log(
    `p95 ${processes.p95.toFixed(1)} ms (at most 60, aim 25), ${(processes.p50 / floors.p50).toFixed(2)} × floor at p50`,
  );
} finally {
  sockets.destroy();
  await world.close();
}

async function measureFloor(bench: BenchWorld) {
  const floor = await openNotifyFloor(bench.databaseUrl);
  const samples: number[] = [];
  for (let sample = 0; sample < FLOOR_SAMPLES; sample += 1) samples.push(await floor.roundTrip());
  await floor.close();
  return percentiles(samples);
}

/** Two sessions that answer as soon as they are told, in one conversation after the other. */
async function turnsOfCalls(bench: BenchWorld, count: number) {
  const [one, other] = await bench.warmAgents(2, 2);
  if (!one || !other) throw new Error('no agents');
  const turns: number[] = [];
  while (turns.length < count) {
    const saidAt: number[] = [];
    await call(bench, one, 'start_conversation', {
      target_agent_id: other.agentId,
      initial_message: 'りんご',
      max_messages: MAX_MESSAGES,
    });
    await Promise.all([talk(bench, one, saidAt), talk(bench, other, saidAt)]);
    // The first answer includes the start of the conversation, so it is left out.
    for (let index = 2; index < saidAt.length; index += 1)
      turns.push((saidAt[index] ?? 0) - (saidAt[index - 1] ?? 0));
  }
  return percentiles(turns.slice(0, count));
}

/** Answers until the conversation is full, and records when it sent each answer. */
async function talk(bench: BenchWorld, agent: WarmAgent, saidAt: number[]): Promise<void> {
  for (;;) {
    const { result } = await call(bench, agent, 'get_next_action', { hold_seconds: 25 });
    if (result.action === 'conversation_ended') return;
    if (result.action !== 'get_pending_messages') continue;
    await call(bench, agent, 'get_pending_messages', {});
    // One message exists before the first answer.
    const isFull = saidAt.length >= MAX_MESSAGES - 2;
    saidAt.push(performance.now());
    if (!isFull) await call(bench, agent, 'respond_chat', { content: 'ごりら' });
    else {
      await call(bench, agent, 'end_conversation', {});
      return;
    }
  }
}

function call(bench: BenchWorld, agent: WarmAgent, tool: string, args: Record<string, unknown>) {
  return callTool(sockets, bench.mcpUrl, agent.sessionToken, tool, args);
}

/** The two agents of the welcome project play. A turn is the time between two stored messages. */
async function turnsOfProcesses(owner: ApiCaller, games: number) {
  const turns: number[] = [];
  await owner.call(z.unknown(), 'POST', `${GUIDE}/start`, { viewerId: 'bench' });
  for (let game = 0; game < games; game += 1) {
    await owner.call(z.unknown(), 'POST', `${GUIDE}/messages`, {
      content: `agt_welcome_helperとしりとりを${ROUNDS}往復してください`,
    });
    const id = await endedConversation(owner, game + 1);
    const { messages } = await owner.call(
      messagePageSchema,
      'GET',
      `/conversations/${id}/messages?limit=200`,
    );
    const storedAt = messages.map((message) => Date.parse(message.createdAt));
    // In the first game the first answer includes the start of the other agent's process, so it is left out.
    for (let index = 2; index < storedAt.length; index += 1)
      turns.push((storedAt[index] ?? 0) - (storedAt[index - 1] ?? 0));
  }
  return percentiles(turns);
}

async function endedConversation(owner: ApiCaller, count: number): Promise<string> {
  for (;;) {
    const path = '/projects/prj_welcome/conversations?state=ended';
    const { conversations } = await owner.call(conversationPageSchema, 'GET', path);
    const [newest] = conversations;
    if (newest && conversations.length === count) return newest.id;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
