/**
 * A message → the real Claude Code's request at a scripted model on loopback, and → the answer. Four ways in turn, in
 * one run: the Agent SDK alone in one warm streaming session (the floor), a person's POST to the product, the same to
 * an agent of the Agent Client Protocol (the scripted one of the tests: Claude's adapter is not in the lockfile), and
 * one `claude -p` for each message.
 * `npm run bench -- claude-warm [--samples 20]`
 */
import { watch } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ClaudeProduct, claudeEnvironment, type Membership } from '../../tests/e2e/claude/claude-product.ts';
import { makeAgentProgram } from '../../tests/fixtures/agent-program.ts';
import { startTrap } from '../../tests/fixtures/trap-proxy.ts';
import { claudeBinary } from '../claude/claude-binary.ts';
import { AnswerFrames } from './support/answer-frames.ts';
import { BareSession, printOnce } from './support/bare-claude.ts';
import { measureInTurn, timesFloor, type Way } from './support/in-turn.ts';
import { ModelArrivals } from './support/model-arrivals.ts';
import { row } from './support/statistics.ts';

const { values: options } = parseArgs({ options: { samples: { type: 'string', default: '20' } } });
const ACP_AGENT = new URL('../../tests/fixtures/agents/acp-agent.ts', import.meta.url);
const [BARE, OURS, ACP, COLD] = ['bare SDK', 'product', 'product, ACP', 'claude -p'];

const product = await ClaudeProduct.start();
const trap = await startTrap();
const folder = await mkdtemp(join(tmpdir(), 'aizuchi-bare-claude-'));
const model = new ModelArrivals();
product.plays(model.script);
try {
  const place = {
    executable: await claudeBinary(),
    cwd: folder,
    env: {
      ...(await claudeEnvironment(product.model, trap, folder)),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    },
  };
  const bare = await BareSession.start(place);
  const ways: Record<string, Way> = {
    [BARE]: (text) => ({ request: model.of(text), text: bare.say(text) }),
    [OURS]: await claudeOfProduct(),
    [ACP]: await acpOfProduct(),
    [COLD]: (text) => ({ request: model.of(text), text: printOnce(place, text) }),
  };
  const samples = Number(options.samples);
  const measured = await measureInTurn(ways, { samples, warmUp: 3, pauseMs: 200 });
  await bare.close();
  for (const [name, result] of measured) console.log(row(name, result));
  const ratio = (name: string, floor: string) => {
    const { p50, p95 } = timesFloor(measured, name, floor);
    return `${p50.toFixed(2)} × at p50, ${p95.toFixed(2)} × at p95`;
  };
  console.log(
    `product : bare SDK, request ${ratio(`${OURS} → request`, `${BARE} → request`)} (at most 4, aim 2)`,
  );
  console.log(
    `product : bare SDK, text    ${ratio(`${OURS} → text`, `${BARE} → text`)}; stored ${ratio(`${OURS} → stored`, `${BARE} → text`)}`,
  );
  console.log(`product, ACP : bare SDK, request ${ratio(`${ACP} → request`, `${BARE} → request`)}`);
  console.log(`claude -p : product, request ${ratio(`${COLD} → request`, `${OURS} → request`)} (at least 5)`);
  console.log(`connections to anywhere else: ${trap.addresses.length + product.elsewhere.length}`);
} finally {
  await product.stop();
  await trap.close();
  await rm(folder, { recursive: true, force: true });
}

/** A person's POST, the request at the model, and the answer at a client that follows the project. */
async function claudeOfProduct(): Promise<Way> {
  const agent = await product.world.makeAgent('claude', { provider: 'claude' });
  const { write, frames } = await open(agent);
  return (text) => {
    const { firstText, stored } = frames.next();
    return { request: model.of(text), text: firstText, stored, posted: write(text) };
  };
}

/** Has no model: its request is the prompt that the agent is given. */
async function acpOfProduct(): Promise<Way> {
  const { command, control } = await makeAgentProgram(product.world.home, 'acp-agent', ACP_AGENT);
  const { file, args } = command;
  const agent = await product.world.makeAgent('acp', { provider: 'acp', command: { file, args } });
  const { write, frames } = await open(agent);
  let onPrompt: (at: number) => void = () => undefined;
  // It appends each request to a file of this folder; after the warm-up only prompts come. The watcher ends with us.
  watch(control, { persistent: false }, (_, file) => {
    if (file === 'requests.jsonl') onPrompt(performance.now());
  });
  return (text) => {
    const { firstText, stored } = frames.next();
    const prompt = Promise.withResolvers<number>();
    onPrompt = prompt.resolve;
    return { request: prompt.promise, text: firstText, stored, posted: write(text) };
  };
}

async function open(agent: Membership) {
  const { world } = product;
  await world.open(agent);
  const { AIZUCHI_WEB_URL: webUrl = '' } = world.product.environment;
  return {
    frames: await AnswerFrames.follow({ webUrl, token: world.token, projectId: agent.projectId }),
    /** Resolves with the moment at which the message was acknowledged. */
    write: async (text: string) => {
      await world.write(agent, text, text);
      return performance.now();
    },
  };
}
