import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { approvalPageSchema } from '@aizuchi/shared/contract/approval';
import { changesSchema } from '@aizuchi/shared/contract/changes';
import type { Message } from '@aizuchi/shared/contract/chat';
import { type Run, runPageSchema } from '@aizuchi/shared/contract/run';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type FakeGemini,
  type GeminiReply,
  type GeminiRequest,
  startFakeGemini,
} from '../../fixtures/fake-gemini.ts';
import { GEMINI, makeGeminiHome } from '../../fixtures/gemini-program.ts';
import { ProjectRepository } from '../../fixtures/project-repository.ts';
import { KillWorld } from '../kill/kill-support.ts';
import { processesOf, until } from '../start/product-process.ts';
import { Frames } from '../streaming/frames.ts';
import { Board } from '../tasks/task-world.ts';

/*
 * The product as it is started, with one agent that is the real Gemini CLI. Its model is a script on loopback, and it
 * reaches no other host: what it tries is written to a file. The tests use one chat, one after the other.
 */

const CLOCK = new URL('../../fixtures/guest-clock.mjs', import.meta.url).href;
type Reply = GeminiReply | ((request: GeminiRequest) => GeminiReply);

let world: KillWorld;
let api: FakeGemini;
let folder: string;
let frames: Frames;
let membership: Awaited<ReturnType<KillWorld['makeAgent']>>;
/** What the model answers next; then it only says that it is there. */
let replies: Reply[] = [];
let written = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aizuchi-gemini-product-'));
  await makeGeminiHome(folder);
  // The account of agents keeps its sessions here.
  await Promise.all([chmod(folder, 0o777), chmod(join(folder, '.gemini'), 0o777)]);
  api = await startFakeGemini((request) => {
    const reply = replies.shift() ?? { parts: [{ text: 'Here.' }] };
    return typeof reply === 'function' ? reply(request) : reply;
  });
  const agent = {
    GEMINI_API_KEY: 'key-that-is-fake-of-gemini',
    GOOGLE_GEMINI_BASE_URL: api.url,
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    GEMINI_CLI_HOME: folder,
    TEST_TRAFFIC_FILE: join(folder, 'traffic'),
  };
  world = await KillWorld.start({ ...agent, AIZUCHI_AGENT_ENV: Object.keys(agent).join() });
  membership = await world.makeAgent('gemini', { ...geminiAgent(), systemPrompt: 'You are brief.' });
  const { AIZUCHI_WEB_URL: url = '' } = world.product.environment;
  frames = await Frames.follow(url, world.token, membership.projectId);
  await world.open(membership);
});
afterAll(async () => {
  frames.close();
  expect(await world.product.stop()).toBe(true);
  await api.close();
  await rm(folder, { recursive: true, force: true });
});

const call = (name: string, args: Record<string, unknown> = {}) => ({ call: { name, args } });
/** Says what its tools returned. */
const told = ({ results }: GeminiRequest): GeminiReply => ({
  parts: [{ text: results.map(({ response }) => JSON.stringify(response)).join() }],
});
const geminiAgent = () => ({
  provider: 'acp',
  command: { file: process.execPath, args: [`--import=${CLOCK}`, GEMINI, '--acp'] },
});
/** Where it works, as Gemini CLI tells its model. */
const cwdOf = ({ history, text }: GeminiRequest): string =>
  /(\/[^\s`*]*worktrees\/[^\s`*]+)/.exec(`${history}\n${text}`)?.[1] ?? '';
const never = new Promise<never>(() => undefined);

function write(content: string, ...script: Reply[]): Promise<Message> {
  replies = script;
  written += 1;
  return world.write(membership, content, `m${written}`);
}

async function answer(content: string, ...script: Reply[]): Promise<Message | undefined> {
  const { id } = await write(content, ...script);
  await world.answered(membership, id);
  return (await answers()).at(-1);
}

async function answers(): Promise<Message[]> {
  return (await world.messages(membership)).filter(({ sender }) => sender === 'agent');
}

async function runs(): Promise<Run[]> {
  return runPageSchema.parse(await world.call('GET', `/projects/${membership.projectId}/runs`)).runs;
}

/** Decides about the next request for permission. Returns what the person was shown. */
async function decide(body: { decision: string; note?: string }) {
  let shown: { id: string; summary: string; input: unknown } | undefined;
  const path = `/projects/${membership.projectId}/approvals?status=pending`;
  await until(async () => {
    [shown] = approvalPageSchema.parse(await world.call('GET', path)).approvals;
    return shown !== undefined;
  });
  await world.call('POST', `/approvals/${shown?.id}`, body);
  return shown;
}

function chat(action: string): string {
  return `/projects/${membership.projectId}/agents/${membership.agentId}/chat/${action}`;
}

it('UC014: a message is answered while it streams, with a tool of the board', async () => {
  const shown = Promise.withResolvers<void>();
  const asked = await write(
    'How is it going?',
    { parts: [{ text: 'I look.' }, call('mcp_aizuchi_list_tasks')] },
    () => ({ parts: [{ text: 'There is nothing ' }, { text: 'to do.' }], until: shown.promise }),
  );
  const first = await frames.delta('I look.');
  await frames.first(
    ({ type, text }) => type === 'message_delta' && text?.includes('There is nothing') === true,
  );
  expect(await answers()).toEqual([]);
  shown.resolve();
  await world.answered(membership, asked.id);
  expect(await answers()).toEqual([
    expect.objectContaining({
      id: first.messageId,
      content: 'I look.\n\nThere is nothing to do.',
      usage: expect.objectContaining({ inputTokens: 200, outputTokens: 40 }),
    }),
  ]);
  expect(JSON.stringify(api.requests.at(-1)?.results)).toContain('backlog');
  expect(api.requests[0]?.text).toContain('You are brief.');
});

it('approvals: allowed once, allowed for the session, denied with a note; steps with their diffs are kept', async () => {
  const file = join(membership.folder, 'note.txt');
  const command = (text: string) => ({ parts: [call('run_shell_command', { command: text })] });
  const asked = await write(
    'Work',
    { parts: [call('write_file', { file_path: file, content: 'one\n' })] },
    command('touch kept'),
    command('touch kept'),
    command('rm kept'),
    told,
    ({ text }) => ({ parts: [{ text: `Heard: ${text}` }] }),
  );
  expect(await decide({ decision: 'allow_once' })).toMatchObject({
    input: { changes: [{ path: 'note.txt', before: '', after: 'one\n' }] },
  });
  const commands = [
    await decide({ decision: 'allow_session' }),
    await decide({ decision: 'deny', note: 'after lunch, please' }),
  ];
  expect(commands.map((shown) => shown?.summary)).toEqual(['touch kept', 'rm kept']);
  await world.answered(membership, asked.id);
  const last = (await answers()).at(-1);
  expect(last?.content).toMatch(/Heard: [\s\S]*rm kept[\s\S]*after lunch, please/);
  expect(await readFile(file, 'utf8')).toBe('one\n');
  expect((await readdir(membership.folder)).filter((name) => !name.startsWith('.')).toSorted()).toEqual([
    'kept',
    'note.txt',
  ]);
  expect(await world.call('GET', `${chat('messages')}/${last?.id}/steps`)).toMatchObject({
    steps: [
      { kind: 'edit', status: 'done', diff: { path: 'note.txt', before: '', after: 'one\n' } },
      { kind: 'command', title: 'touch kept', status: 'done' },
      { kind: 'command', title: 'touch kept', status: 'done' },
      { kind: 'command', title: 'rm kept', status: 'failed' },
    ],
  });
});

it('a question of the model is answered by a click', async () => {
  const options = ['Blue', 'Red'].map((label) => ({ label, description: '' }));
  const questions = [{ question: 'Which colour?', header: 'Colour', options }];
  const asked = await write(
    'Paint it',
    { parts: [call('mcp_aizuchi_ask_user_question', { questions })] },
    told,
  );
  const [card = ''] = await world.pendingCards(membership);
  await world.call('POST', `/questions/${card}/answer`, { answers: { 0: '1' } });
  await world.answered(membership, asked.id);
  expect((await answers()).at(-1)?.content).toMatch(/answered.*Which colour\?.*Red/);
});

it('Stop in the middle of an answer keeps what was written, and the next message is answered', async () => {
  const asked = await write('Tell me', {
    parts: [{ text: 'The first half' }, { text: ' never' }],
    until: never,
  });
  await frames.delta('The first half');
  await world.call('POST', chat('interrupt'));
  await world.answered(membership, asked.id);
  expect((await answers()).at(-1)?.content).toBe('The first half');
  expect((await answer('And now?'))?.content).toBe('Here.');
});

it('a sign-in that its model does not accept is one line, and the message can be sent again', async () => {
  const { id } = await write('Hello', { status: 401 });
  const line = await world.failed(membership, id);
  expect(line?.content).toMatch(/^The sign-in of Gemini CLI was not accepted: scripted\. .*GEMINI_API_KEY/);
  await world.retry(membership, id);
  await world.answered(membership, id);
  expect(await runs()).toHaveLength(1);
});

it('killed in the middle of an answer: the message is answered once, by a model that knows what was said', async () => {
  const asked = await write('Tell me more', { parts: [{ text: 'Half' }, { text: ' never' }], until: never });
  const half = await frames.delta('Half');
  let known = '';
  const again = ({ history, text }: GeminiRequest): GeminiReply => {
    known = `${history}\n${text}`;
    return { parts: [{ text: 'The whole answer' }] };
  };
  replies = [again];
  process.kill(await world.runningPid(membership), 'SIGKILL');
  await frames.first(({ type, messageId }) => type === 'message_discarded' && messageId === half.messageId);
  await world.answered(membership, asked.id);
  expect((await answers()).map(({ content }) => content).slice(-1)).toEqual(['The whole answer']);
  expect(await world.redelivered(membership, asked.id)).toBe(true);
  // By its session, or by the last messages: Gemini CLI erases a session that it loads again, or in its first minute.
  expect(known).toContain('How is it going?');
  expect(known).toContain('There is nothing to do.');
});

it('a task in a worktree is worked on, blocked in the middle, and done from where it stood', async () => {
  const worker = await world.makeAgent('tasked', geminiAgent());
  await ProjectRepository.make(world.home, worker.folder, { 'plan.md': 'one\n' });
  const settings = { isolation: 'worktree', permissionPolicy: 'allow_edits' };
  await world.call('PATCH', `/projects/${worker.projectId}`, settings);
  const board = new Board((method, path, body) => world.call(method, path, body));
  const writes = (request: GeminiRequest): GeminiReply => ({
    parts: [call('write_file', { file_path: join(cwdOf(request), 'plan.md'), content: 'two\n' })],
  });
  const saved = { text: 'plan.md says two.' };
  const begun = Promise.withResolvers<void>();
  replies = [
    writes,
    { parts: [call('mcp_aizuchi_save_context', saved)] },
    () => {
      begun.resolve();
      return { parts: [{ text: 'I look at it' }, { text: ' never' }], until: never };
    },
  ];
  const task = await board.add(worker, { title: 'Rewrite the plan' });
  await board.move(task, 'in_progress');
  await begun.promise;
  await board.move(task, 'blocked');
  await board.untilAllExited(worker);

  let told = '';
  replies = [
    ({ text }) => {
      told = text;
      const report = { result: 'done', summary: 'It says two.' };
      return { parts: [call('mcp_aizuchi_report_completed', report)] };
    },
  ];
  await board.move(task, 'in_progress');
  await board.untilStatus(task, 'done');
  const [run] = await board.untilAllExited(worker);
  expect(told).toContain('Rewrite the plan');
  expect(told).toContain(saved.text);
  expect(await board.comments(task)).toEqual(['It says two.']);
  expect(await board.attempts(task)).toMatchObject([
    { outcome: 'blocked' },
    { outcome: 'done', summary: 'It says two.' },
  ]);
  expect(await board.steps(task, 1)).toMatchObject([
    { kind: 'edit', status: 'done', diff: { path: 'plan.md', before: 'one\n', after: 'two\n' } },
    { title: 'Saved where the task stands', status: 'done' },
  ]);
  const { files } = changesSchema.parse(await world.call('GET', `/runs/${run?.id}/changes`));
  expect(files).toMatchObject([{ path: 'plan.md', additions: 1, deletions: 1 }]);
  expect(await readFile(join(worker.folder, 'plan.md'), 'utf8'), 'nobody has decided').toBe('one\n');
});

it('the close of the chat ends all its processes; nothing else was reached', async () => {
  // Known by a variable that only processes of this test have.
  const programs = async () => (await processesOf(folder)).filter((line) => line.includes('gemini.js'));
  expect(await programs()).not.toEqual([]);
  await world.call('POST', chat('end'), { force: true });
  await until(async () => (await runs()).every(({ state }) => state === 'exited'));
  expect((await runs()).map(({ exitCause }) => exitCause).toSorted()).toEqual(['crashed', 'finished']);
  expect(await programs()).toEqual([]);
  expect(await readFile(join(folder, 'traffic'), 'utf8').catch(() => '')).toBe('');
});
