import { readdir, readFile, readlink, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import type { DriverSession } from '../../../packages/agent-runner/src/driver.ts';
import { UNCLAIMED_MS } from '../../../packages/agent-runner/src/drivers/claude/claude-process.ts';
import { lastResults, type ModelScript, playing, resultText } from '../../fixtures/fake-anthropic.ts';
import { ClaudeWorld } from './claude-world.ts';

let world: ClaudeWorld;
afterEach(() => {
  vi.useRealTimers();
  return world.close();
});

const never = new Promise<never>(() => undefined);
const told: ModelScript = (request) => ({ text: lastResults(request).map(resultText).join() });

/** kill -9 of every process in the folder of the world. */
async function killClaude(andThen: () => void = () => undefined): Promise<void> {
  const pids: number[] = [];
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    if ((await readlink(join('/proc', pid, 'cwd')).catch(() => '')) === world.folder) pids.push(Number(pid));
  }
  for (const pid of pids) kill(pid);
  andThen();
}

/** It may have ended meanwhile. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** Until what Claude Code keeps of its session contains this text: it writes with a delay. */
async function untilKept(text: string): Promise<void> {
  const folder = join(world.home, '.claude', 'projects');
  await expect
    .poll(async () => {
      const files = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
      const transcripts = files.filter(({ name }) => name.endsWith('.jsonl'));
      const texts = await Promise.all(
        transcripts.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')),
      );
      return texts.join('\n');
    })
    .toContain(text);
}

/** The runner dies with the program: nothing more comes of the turn. */
async function die(runner: AbortController): Promise<void> {
  await killClaude(() => runner.abort());
}

test('killed in the middle of an answer: the program is started again and answers, without a second prompt', async () => {
  let tries = 0;
  world = await ClaudeWorld.make({
    script: playing({
      'Tell me': [
        () => {
          tries += 1;
          return { text: tries === 1 ? ['Half', never] : 'The whole answer' };
        },
      ],
    }),
  });
  const session = await world.open();
  await world.play(session, world.turn('Hello'));
  const { answer, steps, end } = await world.play(session, world.turn('Tell me'), async ({ type }) => {
    if (type !== 'text' || tries > 1) return;
    await untilKept('Tell me');
    await killClaude();
  });
  expect(end).toEqual({ type: 'end', reason: 'done' });
  expect(answer).toBe('The whole answer');
  expect(steps).toContainEqual(expect.objectContaining({ id: 'restart', status: 'done' }));
  const last = JSON.stringify(world.model.requests.at(-1)?.messages);
  expect(last.split('Tell me')).toHaveLength(2);
});

test('killed again and again: the turn fails with a sentence, and the next one works', async () => {
  world = await ClaudeWorld.make({ script: playing({ 'Tell me': [{ text: ['Half', never] }] }) });
  const session = await world.open();
  const { end } = await world.play(session, world.turn('Tell me'), async ({ type }) => {
    if (type === 'text') await killClaude();
  });
  expect(end).toEqual({
    type: 'end',
    reason: 'failed',
    error: 'it ended: SIGKILL',
    sentence: 'Claude Code ended unexpectedly (SIGKILL). Send the message again.',
  });
  expect((await world.play(session, world.turn('And now?'))).answer).toBe('ok');
});

async function runnerDies(
  during: (session: DriverSession, runner: AbortController) => Promise<unknown>,
): Promise<DriverSession> {
  const session = await world.open();
  await world.play(session, world.turn('Hello'));
  await during(session, new AbortController());
  return world.open({ ...(world.token !== undefined && { resume: world.token }) });
}

test('the runner dies in the middle of an answer: the next session answers what is redelivered, once', async () => {
  let tries = 0;
  const isAsked = Promise.withResolvers<void>();
  world = await ClaudeWorld.make({
    script: playing({
      'Tell me': [
        () => {
          tries += 1;
          isAsked.resolve();
          return { text: tries === 1 ? ['Half', never] : 'The whole answer' };
        },
      ],
    }),
  });
  const asked = world.message('Tell me');
  const session = await runnerDies(async (first, runner) => {
    const turn = world.play(first, world.turn([asked], { signal: runner.signal }));
    await Promise.all([isAsked.promise, untilKept('Tell me')]);
    await die(runner);
    await turn;
  });
  // What came meanwhile is answered too.
  const late = world.message('And this?');
  const { answer, end } = await world.play(session, world.turn([{ ...asked, redelivered: true }, late]));
  expect(end).toEqual({ type: 'end', reason: 'done' });
  expect(answer).toBe('The whole answer\n\nok');
  const prompts = JSON.stringify(world.model.requests.at(-1)?.messages);
  expect(prompts.split('Tell me')).toHaveLength(2);
});

test('the runner dies while a question is open: the same question is asked again, and its answer counts', async () => {
  const options = ['Blue', 'Red'].map((label) => ({ label, description: '' }));
  const questions = [{ question: 'Which colour?', header: 'Colour', multiSelect: false, options }];
  world = await ClaudeWorld.make({
    script: playing({ ask: [{ tool: 'AskUserQuestion', input: { questions } }, told] }),
  });
  const asked = world.message('ask');
  const open = Promise.withResolvers<void>();
  const session = await runnerDies(async (first, runner) => {
    const ask = () => {
      open.resolve();
      return never;
    };
    const turn = world.play(first, world.turn([asked], { ask, signal: runner.signal }));
    await Promise.all([open.promise, untilKept('ask')]);
    await die(runner);
    await turn;
  });
  const cards: unknown[] = [];
  const turn = world.turn([{ ...asked, redelivered: true }], {
    ask: async (card) => {
      cards.push(card);
      return { status: 'answered', answers: { 'Which colour?': 'Red' } };
    },
  });
  const { answer } = await world.play(session, turn);
  expect(cards).toEqual([questions]);
  expect(answer).toContain('"Which colour?"="Red"');
});

test('the runner dies after the answer, before it was handed in: the message is answered again', async () => {
  world = await ClaudeWorld.make({ script: playing({ 'Tell me': [{ text: 'The answer' }] }) });
  const asked = world.message('Tell me');
  const session = await runnerDies(async (first) => {
    await world.play(first, world.turn([asked]));
    await untilKept('The answer');
    await killClaude();
  });
  const { answer } = await world.play(session, world.turn([{ ...asked, redelivered: true }]));
  expect(answer).toBe('The answer');
});

test('a turn that was interrupted by a crash and that nobody waits for any more is ended', async () => {
  world = await ClaudeWorld.make({ script: playing({ 'Tell me': [{ text: ['Half', never] }] }) });
  const session = await runnerDies(async (first, runner) => {
    const turn = world.play(first, world.turn('Tell me', { signal: runner.signal }));
    await untilKept('Tell me');
    await die(runner);
    await turn;
  });
  const { answer, end } = await world.play(session, world.turn('Something else'));
  expect([answer, end.reason]).toEqual(['ok', 'done']);
});

test('a turn whose run was stopped is not worked on when its session is opened again', async () => {
  world = await ClaudeWorld.make({ script: playing({ 'Tell me': [{ text: ['Half', never] }] }) });
  const session = await world.open();
  await world.play(session, world.turn('Hello'));
  const isAsked = Promise.withResolvers<void>();
  const turn = world.play(session, world.turn('Tell me'), () => isAsked.resolve());
  await Promise.all([isAsked.promise, untilKept('Tell me')]);
  await session.close();
  await turn;
  // The time in which nobody waits for it passes when the model has been asked, however long that takes.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const again = await world.open({ ...(world.token !== undefined && { resume: world.token }) });
  // Claude Code asks the same again by itself.
  await expect.poll(() => world.model.requests.length).toBe(3);
  vi.advanceTimersByTime(UNCLAIMED_MS);
  vi.useRealTimers();
  await expect.poll(() => world.model.open).toBe(0);
  expect((await world.play(again, world.turn('Something else'))).answer).toBe('ok');
});

test('a session that is gone: a new one begins, and hears what was said before', async () => {
  world = await ClaudeWorld.make({ script: playing({}) });
  const session = await runnerDies(async () => {
    await killClaude();
    await rename(join(world.home, '.claude', 'projects'), join(world.home, 'away'));
  });
  const earlier = world.token;
  const context = [world.message('My cat is called Tama.'), world.message('Nice!', { senderName: 'Aiko' })];
  const { end } = await world.play(session, world.turn([world.message('What is it called?')], { context }));
  expect(end.reason).toBe('done');
  expect(world.token).not.toBe(earlier);
  const sent = JSON.stringify(world.model.requests.at(-1)?.messages);
  expect(sent).toContain('Owner: My cat is called Tama.\\n\\nAiko: Nice!');
  await rm(join(world.home, 'away'), { recursive: true });
});
