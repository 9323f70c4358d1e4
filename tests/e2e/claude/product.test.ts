import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { approvalPageSchema } from '@aizuchi/shared/contract/approval';
import type { Message } from '@aizuchi/shared/contract/chat';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  lastResults,
  lastSaid,
  type ModelScript,
  playing,
  resultText,
} from '../../fixtures/fake-anthropic.ts';
import { processesOf, until } from '../start/product-process.ts';
import { ClaudeProduct, type Membership } from './claude-product.ts';
import { testClaudeInContainers } from './containers.ts';

let product: ClaudeProduct;
beforeAll(async () => {
  product = await ClaudeProduct.start();
});
afterAll(async () => {
  expect(product.elsewhere).toEqual([]);
  expect(await product.stop()).toBe(true);
});

const never = new Promise<never>(() => undefined);
const told: ModelScript = (request) => ({ text: lastResults(request).map(resultText).join() });

async function answers(membership: Membership): Promise<Message[]> {
  return (await product.world.messages(membership)).filter(({ sender }) => sender === 'agent');
}

it('UC014: a chat is opened, a message is answered while it streams, and the close ends everything', async () => {
  const shown = Promise.withResolvers<void>();
  product.plays(
    playing({
      'How is it going?': [
        { blocks: [{ text: 'I look.' }, { tool: 'mcp__aizuchi__list_tasks', input: {} }] },
        (request) => ({ text: [lastResults(request).map(resultText).join(), shown.promise, ' Good.'] }),
      ],
    }),
  );
  const { membership, frames } = await product.makeAgent('warm');
  const { world } = product;
  const asked = await world.write(membership, 'How is it going?', 'm1');
  const first = await frames.delta('I look.');
  await frames.first(({ type, text }) => type === 'message_delta' && text?.includes('"backlog":0') === true);
  expect(await answers(membership)).toEqual([]);
  shown.resolve();
  await world.answered(membership, asked.id);
  expect(await answers(membership)).toEqual([
    expect.objectContaining({
      id: first.messageId,
      content: expect.stringMatching(/^I look\.\n\n.*"done":0.* Good\.$/s),
    }),
  ]);
  expect(JSON.stringify(product.model.requests[0])).toContain('You are brief.');
  await product.close(membership);
  await until(async () => (await product.runs(membership)).every(({ state }) => state === 'exited'));
  expect(await product.runs(membership)).toEqual([
    expect.objectContaining({ exitCause: 'finished', exitCode: 0 }),
  ]);
  expect((await processesOf(membership.folder)).filter((line) => line.includes('claude'))).toEqual([]);
  frames.close();
});

it('Stop in the middle of an answer keeps what was written, and the next message is answered', async () => {
  product.plays(playing({ 'Tell me': [{ text: ['The first half.', never] }] }));
  const { membership, frames } = await product.makeAgent('stopped');
  const { world } = product;
  const asked = await world.write(membership, 'Tell me', 'm1');
  await frames.delta('The first half.');
  await world.call('POST', `/projects/${membership.projectId}/agents/${membership.agentId}/chat/interrupt`);
  await world.answered(membership, asked.id);
  const next = await world.write(membership, 'And now?', 'm2');
  await world.answered(membership, next.id);
  expect((await answers(membership)).map(({ content }) => content)).toEqual(['The first half.', 'ok']);
  expect(await product.runs(membership)).toHaveLength(1);
  frames.close();
});

it('killed in the middle of an answer: the message is redelivered and answered once, in the same context', async () => {
  let tries = 0;
  product.plays((request) => {
    if (lastSaid(request) !== 'Tell me') return { text: 'ok' };
    tries += 1;
    return { text: tries === 1 ? ['Half.', never] : 'The whole answer' };
  });
  const { membership, frames } = await product.makeAgent('killed');
  const { world } = product;
  const hello = await world.write(membership, 'Hello, I am Kana.', 'm1');
  await world.answered(membership, hello.id);
  const asked = await world.write(membership, 'Tell me', 'm2');
  const half = await frames.delta('Half.');
  await product.untilKept('Tell me');
  await product.killRunner(membership);
  await frames.first(({ type, messageId }) => type === 'message_discarded' && messageId === half.messageId);
  await world.answered(membership, asked.id);
  expect((await answers(membership)).map(({ content }) => content)).toEqual(['ok', 'The whole answer']);
  expect(await world.redelivered(membership, asked.id)).toBe(true);
  const sent = JSON.stringify(product.model.requests.at(-1)?.messages);
  expect([sent.split('Tell me').length, sent.split('I am Kana').length]).toEqual([2, 2]);
  frames.close();
});

it('killed while a question is open: the question stays, and its answer reaches the model', async () => {
  const options = ['Blue', 'Red'].map((label) => ({ label, description: '' }));
  const questions = [{ question: 'Which colour?', header: 'Colour', multiSelect: false, options }];
  product.plays(playing({ 'Paint it': [{ tool: 'AskUserQuestion', input: { questions } }, told] }));
  const { membership, frames } = await product.makeAgent('asking');
  const { world } = product;
  const asked = await world.write(membership, 'Paint it', 'm1');
  const before = await world.pendingCards(membership);
  await product.untilKept('Paint it');
  await product.killRunner(membership);
  await until(async () => (await product.runs(membership)).some(({ state }) => state === 'exited'));
  await until(async () => (await product.runs(membership)).some(({ state }) => state === 'running'));
  await until(() => product.model.requests.filter((request) => lastSaid(request) === 'Paint it').length > 1);
  const [card = ''] = await world.pendingCards(membership);
  expect(before).toEqual([card]);
  await world.call('POST', `/questions/${card}/answer`, { answers: { 0: '1' } });
  await world.answered(membership, asked.id);
  expect((await answers(membership)).map(({ content }) => content)).toEqual([
    expect.stringContaining('"Which colour?"="Red"'),
  ]);
  frames.close();
});

it('approvals: allowed once, allowed for the session, refused with a note', async () => {
  const run = (command: string, description: string) => ({ tool: 'Bash', input: { command, description } });
  product.plays(
    playing({
      Work: [
        run('npm --version > one', 'First'),
        run('npm --help', 'Second'),
        run('npm --help', 'Second again'),
        run('npm --version > two', 'Third'),
        told,
      ],
    }),
  );
  const { membership, frames } = await product.makeAgent('permitted');
  const { world } = product;
  const asked = await world.write(membership, 'Work', 'm1');
  const requested = [
    await product.decide(membership, { decision: 'allow_once' }),
    await product.decide(membership, { decision: 'allow_session' }),
    await product.decide(membership, { decision: 'deny', note: 'after lunch, please' }),
  ];
  await world.answered(membership, asked.id);
  expect(requested).toEqual(['First', 'Second', 'Third']);
  expect((await answers(membership)).map(({ content }) => content)).toEqual([
    expect.stringContaining('after lunch, please'),
  ]);
  expect((await readdir(membership.folder)).filter((name) => !name.startsWith('.'))).toEqual(['one']);
  frames.close();
});

it('deny is true at once, also for what was allowed for the session', async () => {
  const { membership, frames } = await product.makeAgent('denied');
  const { world } = product;
  const file = (name: string) => join(membership.folder, name);
  const write = (name: string) => ({ tool: 'Write', input: { file_path: file(name), content: 'x\n' } });
  const run = { tool: 'Bash', input: { command: 'npm --help', description: 'Help' } };
  product.plays(playing({ One: [write('one'), run, told], Two: [write('two'), run, told] }));
  const first = await world.write(membership, 'One', 'm1');
  await product.decide(membership, { decision: 'allow_session' });
  await product.decide(membership, { decision: 'allow_session' });
  await world.answered(membership, first.id);
  await world.call('PATCH', `/projects/${membership.projectId}`, { permissionPolicy: 'deny' });
  const second = await world.write(membership, 'Two', 'm2');
  await world.answered(membership, second.id);
  expect((await readdir(membership.folder)).filter((name) => !name.startsWith('.'))).toEqual(['one']);
  const listed = await world.call('GET', `/projects/${membership.projectId}/approvals`);
  const { approvals } = approvalPageSchema.parse(listed);
  expect(approvals.map(({ tool, status, policy }) => [tool, status, policy])).toEqual([
    ['Bash', 'denied', 'deny'],
    ['Write', 'denied', 'deny'],
    ['Bash', 'allowed_session', undefined],
    ['Write', 'allowed_session', undefined],
  ]);
  frames.close();
});

it('steps with their diffs and what it cost are kept with the answer', async () => {
  const { membership, frames } = await product.makeAgent('stepping');
  const { world } = product;
  const file = join(membership.folder, 'notes.md');
  product.plays(
    playing({
      Write: [{ tool: 'Write', input: { file_path: file, content: 'one\n' } }, { text: 'Written.' }],
    }),
  );
  await world.call('PATCH', `/projects/${membership.projectId}`, { permissionPolicy: 'allow_edits' });
  const asked = await world.write(membership, 'Write', 'm1');
  await world.answered(membership, asked.id);
  const [answer] = await answers(membership);
  expect(answer).toMatchObject({
    content: 'Written.',
    model: expect.stringMatching(/^claude-/),
    usage: { inputTokens: 20, outputTokens: 40, costUsd: expect.any(Number) },
  });
  const { projectId, agentId } = membership;
  const steps = await world.call(
    'GET',
    `/projects/${projectId}/agents/${agentId}/chat/messages/${answer?.id}/steps`,
  );
  expect(steps).toMatchObject({
    steps: [
      {
        kind: 'edit',
        title: 'Created notes.md',
        status: 'done',
        diff: { path: 'notes.md', before: '', after: 'one\n' },
      },
    ],
  });
  frames.close();
});

it('a question that nobody answers in time: the model is told so, and the turn goes on', async () => {
  const options = ['Yes', 'No'].map((label) => ({ label, description: '' }));
  const questions = [{ question: 'Shall I?', header: 'Go', multiSelect: false, options }];
  product.plays(playing({ 'Clean up': [{ tool: 'AskUserQuestion', input: { questions } }, told] }));
  const { membership, frames } = await product.makeAgent('waiting');
  const { world } = product;
  await world.call('PUT', '/settings', { questionTimeoutSeconds: 2 });
  const asked = await world.write(membership, 'Clean up', 'm1');
  await world.answered(membership, asked.id);
  expect((await answers(membership)).map(({ content }) => content)).toEqual([
    expect.stringContaining('Nobody answered in time. No answer is not consent'),
  ]);
  await world.call('PUT', '/settings', { questionTimeoutSeconds: null });
  frames.close();
});

it.each([
  ['the runner is killed', (membership: Membership) => product.killRunner(membership)],
  ['the chat is closed by force', (membership: Membership) => product.close(membership)],
])('a command that runs ends when %s, although it has a session of its own', async (how, end) => {
  const seconds = how.includes('killed') ? '86399.25' : '86399.75';
  product.plays(
    playing({
      Wait: [{ tool: 'Bash', input: { command: `sleep ${seconds} && touch late`, description: 'Wait' } }],
    }),
  );
  const { membership, frames } = await product.makeAgent(how.includes('killed') ? 'detached' : 'closed');
  const { world } = product;
  await world.write(membership, 'Wait', 'm1');
  await product.decide(membership, { decision: 'allow_once' });
  await until(async () => (await processesOf(`sleep\0${seconds}`)).length > 0);
  const [running] = (await product.runs(membership)).filter(({ state }) => state === 'running');
  await end(membership);
  await until(async () => (await processesOf(seconds)).length === 0);
  await until(async () =>
    (await product.runs(membership)).some(({ id, state }) => id === running?.id && state === 'exited'),
  );
  expect(await readdir(membership.folder)).not.toContain('late');
  await product.close(membership);
  frames.close();
});

it('a refused key is one line in the chat; once it is mended, the same session answers the message sent again', async () => {
  let isMended = false;
  product.plays(() =>
    isMended ? { text: 'ok' } : { status: 401, type: 'authentication_error', message: 'invalid x-api-key' },
  );
  const { membership, frames } = await product.makeAgent('refused');
  const { world } = product;
  const { id } = await world.write(membership, 'Hello', 'm0');
  const line = await world.failed(membership, id);
  expect(line).toMatchObject({
    content: expect.stringMatching(/^[^\n]*claude.* \/login[^\n]*$/),
    system: { code: 'turn_failed' },
  });
  expect(await answers(membership)).toEqual([]);
  isMended = true;
  await world.retry(membership, id);
  await world.answered(membership, id);
  expect((await answers(membership)).map(({ content }) => content)).toEqual(['ok']);
  expect(await product.runs(membership)).toHaveLength(1);
  frames.close();
});

const missing = await testClaudeInContainers();
if (missing !== undefined) process.stderr.write(`Claude Code in containers is left out: ${missing}\n`);
