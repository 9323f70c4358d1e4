import { chmod, constants, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Run, runPageSchema } from '@aizuchi/shared/contract/run';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { claudeBinary } from '../../../scripts/claude/claude-binary.ts';
import {
  type FakeAnthropic,
  type ModelRequest,
  type Reply,
  startFakeAnthropic,
} from '../../fixtures/fake-anthropic.ts';
import { startTrap, type Trap } from '../../fixtures/trap-proxy.ts';
import { KillWorld } from '../kill/kill-support.ts';
import { until } from '../start/product-process.ts';

/*
 * `claude -p` as a command of mode per_work, with the arguments that docs/providers.md names: the real Claude Code,
 * whose model is a script on loopback.
 */

/** Claude Code is fetched where it is not in the cache yet. */
const FETCH_TIMEOUT_MS = 600_000;
/** Three starts of Claude Code, and the pauses between them. */
const THREE_STARTS_MS = 180_000;
const PREFIX = 'mcp__aizuchi__';

let world: KillWorld;
let model: FakeAnthropic;
let trap: Trap;
let folder: string;
let isKeyRefused = false;
const REFUSAL = { status: 401, type: 'authentication_error', message: 'invalid x-api-key' };
beforeAll(async () => {
  const binary = await claudeBinary();
  model = await startFakeAnthropic((request) => (isKeyRefused ? REFUSAL : answer(request)));
  trap = await startTrap();
  world = await KillWorld.start({
    AIZUCHI_AGENT_ENV: Object.keys(MODEL).join(','),
    ...MODEL,
    ANTHROPIC_BASE_URL: model.url,
    HTTP_PROXY: trap.url,
    HTTPS_PROXY: trap.url,
  });
  // As root, agents run as an account that cannot read ours.
  folder = join(world.home, '..', 'claude');
  await mkdir(folder);
  await copyFile(binary, join(folder, 'claude'), constants.COPYFILE_FICLONE);
  await copyFile(
    fileURLToPath(new URL('../../../examples/claude-mcp.json', import.meta.url)),
    join(folder, 'claude-mcp.json'),
  );
  for (const path of [folder, join(folder, 'claude')]) await chmod(path, 0o755);
  await chmod(join(folder, 'claude-mcp.json'), 0o644);
}, FETCH_TIMEOUT_MS);
afterAll(async () => {
  expect(await world.product.stop()).toBe(true);
  expect(trap.addresses).toEqual([]);
  await Promise.all([model.close(), trap.close()]);
});

/** What AIZUCHI_AGENT_ENV names: Claude Code gets no other variable of the host. */
const MODEL = {
  ANTHROPIC_BASE_URL: '',
  ANTHROPIC_API_KEY: 'sk-fake-1234567890',
  // Everything that leaves for elsewhere goes to the trap.
  HTTP_PROXY: '',
  HTTPS_PROXY: '',
  NO_PROXY: '127.0.0.1',
};

/** Does what the prompt says: signs in, reads, answers until nothing waits, stops. */
function answer({ messages, tools }: ModelRequest): Reply {
  if (!tools.some(({ name }) => name?.startsWith(PREFIX))) return { text: 'I see no tools of Aizuchi.' };
  const blocks = messages.flatMap(({ content }) => content);
  const use = blocks.findLast((block) => block.type === 'tool_use');
  const result = blocks.findLast((block) => block.type === 'tool_result');
  if (!use || !result) return { tool: `${PREFIX}authenticate`, input: {} };
  if (use.name !== `${PREFIX}get_pending_messages`)
    return { tool: `${PREFIX}get_pending_messages`, input: {} };
  const { content = '' } = result;
  const text = typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('');
  const { batch_id, pending_messages: given } = givenSchema.parse(JSON.parse(text));
  if (given.length === 0) return { text: 'Nothing waits any more.' };
  const said = given.map((message) => message.content).join(', ');
  return { tool: `${PREFIX}respond_chat`, input: { batch_id, content: `Claude read: ${said}` } };
}

const givenSchema = z.looseObject({
  batch_id: z.string().nullish(),
  pending_messages: z.array(z.looseObject({ content: z.string() })),
});

/** The line of docs/providers.md, word for word. */
async function argumentsOfDocs(config: string): Promise<string[]> {
  const docs = await readFile(fileURLToPath(new URL('../../../docs/providers.md', import.meta.url)), 'utf8');
  const [, json = ''] = /```json\n(\{\n {2}"file": "claude",[\s\S]*?)```/.exec(docs) ?? [];
  const { args } = z.object({ args: z.array(z.string()) }).parse(JSON.parse(json));
  expect(args).toContain('/opt/aizuchi/claude-mcp.json');
  return args.map((one) => (one === '/opt/aizuchi/claude-mcp.json' ? config : one));
}

async function makeAgent(name: string, config: string) {
  const membership = await world.makeAgent(name, {
    provider: 'command',
    command: { file: join(folder, 'claude'), args: await argumentsOfDocs(config), mode: 'per_work' },
  });
  return {
    ...membership,
    runs: async (): Promise<Run[]> =>
      runPageSchema.parse(await world.call('GET', `/projects/${membership.projectId}/runs`)).runs,
    said: async (sender: string) => (await world.messages(membership)).filter((one) => one.sender === sender),
  };
}

it('a message starts it; it signs in by its header, answers and ends', async () => {
  const agent = await makeAgent('claude-print', join(folder, 'claude-mcp.json'));
  for (const [index, content] of ['hello', 'and again'].entries()) {
    const message = await world.write(agent, content, `m${index}`);
    await world.answered(agent, message.id);
    await until(async () => (await agent.runs()).every(({ state }) => state === 'exited'));
  }
  expect((await agent.said('agent')).map(({ content }) => content)).toEqual([
    'Claude read: hello',
    'Claude read: and again',
  ]);
  expect(await agent.said('system')).toEqual([]);
  expect((await agent.runs()).map(({ exitCause, exitCode }) => [exitCause, exitCode])).toEqual([
    ['finished', 0],
    ['finished', 0],
  ]);
});

it('a refused key is tried three times by each start, not for three minutes', async () => {
  isKeyRefused = true;
  const before = model.requests.length;
  const agent = await makeAgent('claude-refused', join(folder, 'claude-mcp.json'));
  const message = await world.write(agent, 'hello', 'm');
  await until(async () => (await agent.said('system')).length > 0, THREE_STARTS_MS);
  isKeyRefused = false;
  expect((await world.messages(agent)).find(({ id }) => id === message.id)?.state).toBe('failed');
  expect(await agent.runs()).toHaveLength(3);
  expect(model.requests.length - before).toBe(9);
});

it('without its MCP server it ends with 0 all the same: three starts, then the chat says so', async () => {
  const config = join(folder, 'nobody-there.json');
  const text = await readFile(join(folder, 'claude-mcp.json'), 'utf8');
  await writeFile(config, text.replace(`\${AIZUCHI_MCP_URL}`, 'http://127.0.0.1:9/mcp'));
  const agent = await makeAgent('claude-alone', config);
  const message = await world.write(agent, 'hello', 'm');
  await until(async () => (await agent.said('system')).length > 0, THREE_STARTS_MS);
  expect((await agent.said('system')).map(({ system }) => system?.code)).toEqual(['agent_never_signed_in']);
  expect((await world.messages(agent)).find(({ id }) => id === message.id)?.state).toBe('failed');
  expect((await agent.runs()).map(({ exitCause, exitCode }) => [exitCause, exitCode])).toEqual(
    Array.from({ length: 3 }, () => ['crashed', 0]),
  );
});
