import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Changes, changesSchema } from '@aizuchi/shared/contract/changes';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  lastResults,
  lastSaid,
  type ModelRequest,
  type ModelScript,
  playing,
  resultText,
} from '../../fixtures/fake-anthropic.ts';
import { ProjectRepository } from '../../fixtures/project-repository.ts';
import { until } from '../start/product-process.ts';
import { ClaudeProduct, type Membership } from './claude-product.ts';

let product: ClaudeProduct;
beforeAll(async () => {
  product = await ClaudeProduct.start();
});
afterAll(async () => {
  expect(product.elsewhere).toEqual([]);
  expect(await product.stop()).toBe(true);
});

const never = new Promise<never>(() => undefined);
const PLAN = 'plan.md';

/** An agent with an open chat in a project whose runs have worktrees. */
async function makeAgent(name: string) {
  const { world } = product;
  const membership = await world.makeAgent(name, { provider: 'claude' });
  const repository = await ProjectRepository.make(world.home, membership.folder, { [PLAN]: 'one\n' });
  await world.call('PATCH', `/projects/${membership.projectId}`, {
    isolation: 'worktree',
    permissionPolicy: 'allow_edits',
  });
  const frames = await product.follow(membership);
  await world.open(membership);
  return { membership, repository, frames };
}

/** The folder in which Claude Code says that it works; it also says when that has changed. */
function cwdOf({ system, messages }: ModelRequest): string {
  const said = JSON.stringify([system, messages]).matchAll(/Primary working directory: ([^\s"\\]+)/g);
  return [...said].at(-1)?.[1] ?? '';
}

const writes =
  (content: string): ModelScript =>
  (request) => ({ tool: 'Write', input: { file_path: join(cwdOf(request), PLAN), content } });
const reads: ModelScript = (request) => ({
  tool: 'Read',
  input: { file_path: join(cwdOf(request), PLAN) },
});

async function changesOf(runId: string | undefined): Promise<Changes> {
  return changesSchema.parse(await product.world.call('GET', `/runs/${runId}/changes`));
}

function decide(runId: string | undefined, decision: 'keep' | 'discard'): Promise<unknown> {
  return product.world.call('POST', `/runs/${runId}/changes`, { decision });
}

/** The run of a conversation in which the agent writes this into the plan, once it is over. */
async function runThatWrote(membership: Membership, content: string): Promise<string | undefined> {
  const { world } = product;
  product.plays(playing({ [`Write ${content}`]: [reads, writes(`${content}\n`), { text: 'Written.' }] }));
  if ((await world.sessions(membership)) === 0) await world.open(membership);
  await world.answered(membership, (await world.write(membership, `Write ${content}`, content)).id);
  return endOfRun(membership);
}

async function endOfRun(membership: Membership): Promise<string | undefined> {
  await product.close(membership);
  await until(async () => (await product.runs(membership)).every(({ state }) => state === 'exited'));
  return (await product.runs(membership))[0]?.id;
}

test('what Claude Code changed is kept, the next is discarded, the next meets a conflict', async () => {
  const { membership, repository, frames } = await makeAgent('decided');
  const plan = () => readFile(join(membership.folder, PLAN), 'utf8');

  const kept = await runThatWrote(membership, 'two');
  expect(await changesOf(kept)).toMatchObject({ state: 'created', files: [{ path: PLAN, additions: 1 }] });
  expect(await plan(), 'untouched until somebody decides').toBe('one\n');
  expect(await decide(kept, 'keep')).toMatchObject({ state: 'kept' });
  expect(await plan()).toBe('two\n');
  expect(await repository.git('log', '--format=%s', '-1', 'HEAD^2')).toBe('Work of agt_decided');

  const discarded = await runThatWrote(membership, 'three');
  expect(await decide(discarded, 'discard')).toMatchObject({ state: 'discarded' });
  expect(await plan()).toBe('two\n');

  const inConflict = await runThatWrote(membership, 'four');
  await repository.write(PLAN, 'of the person\n');
  await repository.commit('meanwhile');
  await expect(decide(inConflict, 'keep')).rejects.toThrow(/409 .*changes_conflict.*plan\.md/s);
  expect(await plan()).toBe('of the person\n');
  expect(await changesOf(inConflict)).toMatchObject({ state: 'conflict', conflict: { reason: 'merge' } });
  expect(await decide(inConflict, 'discard')).toMatchObject({ state: 'discarded' });
  expect(await repository.git('status', '--porcelain')).toBe('');
  await expect.poll(() => repository.git('branch', '--list', 'aizuchi/*')).toBe('');
  frames.close();
});

/** The next run answers the message once, in the same folder, with what was said and written before. */
async function expectGoesOn(
  membership: Membership,
  asked: { id: string },
  answer: { answers: unknown[]; folder: string; plan?: string },
): Promise<void> {
  const { world } = product;
  await world.answered(membership, asked.id);
  const answers = (await world.messages(membership)).filter(({ sender }) => sender === 'agent');
  expect(answers.map(({ content }) => content)).toEqual(answer.answers);
  expect(await world.redelivered(membership, asked.id)).toBe(true);
  expect(folderOfLast()).toBe(answer.folder);
  const sent = JSON.stringify(product.model.requests.at(-1)?.messages);
  expect(sent.split('I am Kana'), 'the same session, in which the context is not told again').toHaveLength(2);
  expect(await readFile(join(answer.folder, PLAN), 'utf8')).toBe(answer.plan ?? 'half\n');
}

/** What the crashed run had written is in the changes of the last run, and is kept with them. */
async function expectKept(membership: Membership, repository: ProjectRepository): Promise<void> {
  const last = await endOfRun(membership);
  const [, crashed] = await product.runs(membership);
  await expect(changesOf(crashed?.id)).rejects.toThrow(/404 .*changes_not_found/s);
  expect(await changesOf(last)).toMatchObject({ state: 'created', files: [{ path: PLAN }] });
  expect(await decide(last, 'keep')).toMatchObject({ state: 'kept' });
  expect(await readFile(join(membership.folder, PLAN), 'utf8')).toBe('half\n');
  await expect.poll(() => repository.git('branch', '--list', 'aizuchi/*')).toBe('');
}

/** The folder of the worktree in which it works. */
function folderOfLast(): string {
  const last = product.model.requests.at(-1);
  return last === undefined ? '' : cwdOf(last);
}

test.each([
  ['runner', (membership: Membership) => product.killRunner(membership)],
  ['Coordinator', () => product.world.killService('coordinator')],
])(
  'the %s is killed in the middle of an answer: the next run goes on in the same worktree',
  async (who, kill) => {
    let tries = 0;
    product.plays((request) => {
      const results = lastResults(request).map(resultText).join();
      if (lastSaid(request) === 'Rewrite it') return reads(request);
      if (results.includes('one')) return writes('half\n')(request);
      if (results === '') return { text: 'ok' };
      tries += 1;
      return { text: tries === 1 ? ['Half', never] : 'The whole answer' };
    });
    const { membership, repository, frames } = await makeAgent(`killed-${who.toLowerCase()}`);
    const { world } = product;
    await world.answered(membership, (await world.write(membership, 'Hello, I am Kana.', 'm1')).id);
    const asked = await world.write(membership, 'Rewrite it', 'm2');
    await frames.delta('Half');
    await product.untilKept('half\\n');
    const folder = folderOfLast();
    await kill(membership);
    const answers = ['ok', expect.stringContaining('The whole answer')];
    await expectGoesOn(membership, asked, { answers, folder });
    await expectKept(membership, repository);
    frames.close();
  },
);

test('the runner is killed before anything was written: the worktree is made again in the same folder', async () => {
  let tries = 0;
  product.plays((request) => {
    if (lastSaid(request) !== 'Tell me') return { text: 'ok' };
    tries += 1;
    return { text: tries === 1 ? ['Half', never] : 'The whole answer' };
  });
  const { membership, repository, frames } = await makeAgent('unwritten');
  const { world } = product;
  await world.answered(membership, (await world.write(membership, 'Hello, I am Kana.', 'm1')).id);
  const asked = await world.write(membership, 'Tell me', 'm2');
  await frames.delta('Half');
  await product.untilKept('Tell me');
  const folder = folderOfLast();
  await product.killRunner(membership);
  await expectGoesOn(membership, asked, { answers: ['ok', 'The whole answer'], folder, plan: 'one\n' });
  const sent = JSON.stringify(product.model.requests.at(-1)?.messages);
  expect(sent.split('Tell me'), 'it is not asked a second time').toHaveLength(2);
  expect(await changesOf(await endOfRun(membership))).toMatchObject({ state: 'unchanged' });
  await expect.poll(() => repository.git('branch', '--list', 'aizuchi/*')).toBe('');
  frames.close();
});

test('the runner is killed while a question is open: the same card is answered in the same worktree', async () => {
  const options = ['Blue', 'Red'].map((label) => ({ label, description: '' }));
  const questions = [{ question: 'Which colour?', header: 'Colour', multiSelect: false, options }];
  product.plays((request) => {
    const results = lastResults(request).map(resultText).join();
    if (lastSaid(request) === 'Paint it') return reads(request);
    if (results.includes('one')) return writes('half\n')(request);
    if (results === '') return { text: 'ok' };
    if (results.includes('Which colour?')) return { text: results };
    return { tool: 'AskUserQuestion', input: { questions } };
  });
  const { membership, repository, frames } = await makeAgent('asking');
  const { world } = product;
  await world.answered(membership, (await world.write(membership, 'Hello, I am Kana.', 'm1')).id);
  const asked = await world.write(membership, 'Paint it', 'm2');
  const before = await world.pendingCards(membership);
  await product.untilKept('Which colour?');
  const folder = folderOfLast();
  await product.killRunner(membership);
  await until(async () => (await product.runs(membership)).some(({ state }) => state === 'exited'));
  await until(async () => (await world.sessions(membership)) > 0);
  const [card = ''] = await world.pendingCards(membership);
  expect(before).toEqual([card]);
  await world.call('POST', `/questions/${card}/answer`, { answers: { 0: '1' } });
  const answers = ['ok', expect.stringContaining('"Which colour?"="Red"')];
  await expectGoesOn(membership, asked, { answers, folder });
  await expectKept(membership, repository);
  frames.close();
});
