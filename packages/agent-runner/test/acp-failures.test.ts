import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { ScriptedAction } from '../../../tests/fixtures/agents/acp-agent.ts';
import { LIMITS } from '../src/drivers/acp/session/agent-connection.ts';
import { AcpWorld, lastSteps, TOKEN } from './acp-world.ts';

/* Each way in which an ACP agent fails: one sentence for the person, and the next message works where it can. */

let world: AcpWorld;
beforeAll(async () => {
  world = await AcpWorld.make();
});
afterEach(() => {
  vi.useRealTimers();
  return world.reset();
});
afterAll(() => world.close());

test('a program that is not there, or may not be executed', async () => {
  const missing = await world.open({ host: { file: join(world.folder, 'nothing') } });
  expect((await world.turn(missing, 'Hello')).sentence).toMatch(
    /program .*nothing is not there any more. Install it/,
  );
  const file = join(world.folder, 'not-executable');
  await writeFile(file, 'text');
  await chmod(file, 0o644);
  const forbidden = await world.open({ host: { file } });
  expect((await world.turn(forbidden, 'Hello')).sentence).toMatch(/cannot execute .*not-executable/);
});

test('a working directory that is gone is not taken for a missing program', async () => {
  const session = await world.open({ host: { cwd: join(world.folder, 'gone') } });
  expect((await world.turn(session, 'Hello')).sentence).toMatch(
    /^The working directory .*gone of the project is not/,
  );
});

test('a program that ends at its start: its last line on stderr, in the log too', async () => {
  const session = await world.open({ agent: { start: 'ends' } });
  const result = await world.turn(session, 'Hello');
  expect(result.end).toMatchObject({ type: 'end', reason: 'failed' });
  expect(result.sentence).toMatch(
    /ended as soon as it was started \(exit code 2\): no such option: --acp\. Try/,
  );
  expect(world.logged).toContain('agent: warming up');
});

test('a program that never answers: said when its time is over', async () => {
  const session = await world.open({ agent: { start: 'mute' }, limits: { startMs: 1_000 } });
  expect((await world.turn(session, 'Hello')).sentence).toMatch(/did not answer for 1 s/);
});

test('a program that prints a greeting in place of the protocol', async () => {
  const file = join(world.folder, 'prints');
  await writeFile(file, "#!/bin/sh\necho 'Welcome! Type /help for help.'\nwhile read -r _; do :; done\n");
  await chmod(file, 0o755);
  const session = await world.open({ host: { file }, limits: { startMs: 5_000 } });
  expect((await world.turn(session, 'Hello')).sentence).toMatch(/other text where the Agent Client Protocol/);
  expect(world.logged.join('\n')).toContain('on stdout, and not of the protocol: Welcome!');
});

test('another version of the protocol', async () => {
  const session = await world.open({ agent: { protocolVersion: 7 } });
  expect((await world.turn(session, 'Hello')).sentence).toMatch(/speaks version 7 .* speaks version 1/);
});

test('not signed in: with the program’s own command for it, and nothing else is tried', async () => {
  const session = await world.open({ agent: { signIn: true, name: 'gemini-cli' } });
  const { sentence } = await world.turn(session, 'Hello');
  expect(sentence).toMatch(/Gemini CLI is not signed in .* Run `gemini` in a terminal .* GEMINI_API_KEY/);
  expect(await world.prompts()).toEqual([]);
});

test('a failed start is tried again by the next message', async () => {
  const file = join(world.folder, 'agent-to-come');
  const session = await world.open({ host: { file } });
  expect((await world.turn(session, 'Hello')).sentence).toMatch(/is not there/);
  await writeFile(file, `#!/bin/sh\nexec '${process.execPath}' "$@"\n`);
  await chmod(file, 0o755);
  expect((await world.turn(session, [{ say: 'Here I am.' }])).text).toBe('Here I am.');
});

test.each([
  ['in an error', [{ refuse: { code: -32_603, message: `no model takes ${TOKEN}` } }]],
  ['on stdout, before it dies', [{ print: `I give up with ${TOKEN}` }, { die: '' }]],
] satisfies [string, ScriptedAction[]][])(
  'a program that repeats its secret %s: nobody reads it',
  async (_, actions) => {
    const session = await world.open();
    const { sentence } = await world.turn(session, actions);
    expect(sentence).toMatch(/(?:takes|with) ·+\[hidden\]/);
    expect(world.logged.join()).not.toContain(TOKEN);
  },
);

test('a program that dies in the middle: what it wrote stays, the next message starts it anew', async () => {
  const session = await world.open({ agent: { continues: 'load' } });
  await world.turn(session, 'Remember 7.');
  const died = await world.turn(session, [{ say: 'So far' }, { die: `no memory left, ${TOKEN}` }]);
  expect(died.text).toBe('So far');
  expect(died.sentence).toMatch(
    /ended in the middle of its work \(SIGKILL\): no memory left, ·+\[hidden\]\. Send/,
  );
  expect((await world.turn(session, [{ history: true }])).text).toMatch(/Remember 7\.$/);
  expect(await world.requests('session/load')).toHaveLength(1);
});

test('the log that Claude’s adapter writes to stderr is not shown as the reason of its end', async () => {
  const session = await world.open({ agent: { program: 'claude-agent-acp' } });
  const { sentence } = await world.turn(session, [{ die: '[idle-compaction] skip: unknown' }]);
  expect(sentence).toMatch(/ended in the middle of its work \(SIGKILL\)\. Send/);
});

test('a program that dies between two turns is started anew, and nobody notices', async () => {
  const session = await world.open({ agent: { continues: 'resume' } });
  const pid = Number((await world.turn(session, [{ pid: true }])).text);
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => isAlive(pid)).toBe(false);
  expect((await world.turn(session, [{ say: 'Still here.' }])).text).toBe('Still here.');
  expect(await world.requests('session/resume')).toHaveLength(1);
});

test('what the program has started ends with it, also when it does not listen to SIGTERM', async () => {
  const session = await world.open();
  const { text } = await world.turn(session, [{ stubborn: true }]);
  const pids = text.split(' ').map(Number);
  expect(pids.map(isAlive)).toEqual([true, true]);
  await session.close();
  await expect.poll(() => pids.map(isAlive)).toEqual([false, false]);
});

test('a few lines on stdout that are not of the protocol go to the log, and the turn goes on', async () => {
  const session = await world.open();
  const result = await world.turn(session, [
    { print: 'DEBUG: cache miss' },
    { print: '{"half": ' },
    { say: 'Still here.' },
  ]);
  expect(result).toMatchObject({ text: 'Still here.', end: { reason: 'done' } });
  expect(world.logged).toContain('on stdout, and not of the protocol: DEBUG: cache miss');
});

test('a flood of them ends the session with a sentence; the log has the first lines only', async () => {
  const session = await world.open();
  const result = await world.turn(session, [{ print: 'x'.repeat(1_000), times: 2_000 }, { hang: 'deaf' }]);
  expect(result.sentence).toMatch(/writes other text where/);
  expect(world.logged.filter((line) => line.includes('not of the protocol'))).toHaveLength(20);
  expect((await world.turn(session, [{ say: 'Anew.' }])).text).toBe('Anew.');
});

test('an error that the agent answers with is quoted, with its details', async () => {
  const session = await world.open();
  const refuse = {
    code: -32_603,
    message: 'Internal error',
    data: { details: 'quota of the day is used up.' },
  };
  expect((await world.turn(session, [{ refuse }])).sentence).toMatch(
    /could not answer: Internal error: quota of the day is used up$/,
  );
  expect((await world.turn(session, [{ say: 'Again.' }])).text).toBe('Again.');
  expect(await world.requests('initialize')).toHaveLength(1);
});

test('a sign-in that has expired, or a wrong key: what was answered, and how to sign in again', async () => {
  const session = await world.open({ agent: { name: 'gemini-cli' } });
  const answered = (code: number, error: object) => ({
    refuse: { code, message: JSON.stringify({ error }) },
  });
  const expired = answered(401, { code: 401, status: 'UNAUTHENTICATED', message: 'The token has expired.' });
  expect((await world.turn(session, [expired])).sentence).toMatch(
    /^The sign-in of Gemini CLI was not accepted: The token has expired\. It .* Run `gemini` .* GEMINI_API_KEY/,
  );
  const wrong = answered(400, { message: 'API key not valid. Please pass a valid API key.' });
  expect((await world.turn(session, [wrong])).sentence).toMatch(/not accepted: API key not valid\. Please/);
  const other = answered(404, { message: 'models/x is not found.' });
  expect((await world.turn(session, [other])).sentence).toMatch(/could not answer: models\/x is not found$/);
});

/** The limits of silence pass without waiting for them. Nothing else here uses these timers. */
function withoutWaiting(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
}

/** Lets one limit after the other pass. */
async function untilOver(turn: Promise<unknown>): Promise<void> {
  let isOver = false;
  void turn.finally(() => {
    isOver = true;
  });
  const pass = () => {
    vi.advanceTimersByTime(LIMITS.silentMs);
    return isOver;
  };
  await expect.poll(pass).toBe(true);
}

test('silence: the person is told, then the turn is cancelled with a sentence, and the session lives', async () => {
  withoutWaiting();
  const session = await world.open();
  const said = Promise.withResolvers<void>();
  const begun = world.turn(session, [{ say: 'I ask my model.' }, { hang: 'until cancelled' }], {
    onEvent: ({ type }) => type === 'text' && said.resolve(),
  });
  await said.promise;
  vi.advanceTimersByTime(LIMITS.silentMs);
  const result = await begun;
  expect(result.sentence).toMatch(/nothing came from it for 60 s/);
  expect(lastSteps(result)).toMatchObject([
    { kind: 'other', title: expect.stringMatching(/No sign.* 30 s/) },
  ]);
  expect(await world.requests('session/cancel')).toHaveLength(1);
  expect((await world.turn(session, [{ say: 'Again.' }])).text).toBe('Again.');
  expect(await world.requests('initialize')).toHaveLength(1);
});

test('an agent that does not end a cancelled turn is ended, and started anew by the next message', async () => {
  withoutWaiting();
  const session = await world.open();
  const begun = world.turn(session, [{ hang: 'deaf' }]);
  await world.untilRequest('hanging');
  await untilOver(begun);
  expect((await begun).sentence).toMatch(/nothing came from it/);
  expect((await world.turn(session, [{ say: 'Anew.' }])).text).toBe('Anew.');
  expect(await world.requests('initialize')).toHaveLength(2);
});

test('silence of a program that reads nothing either: a long prompt is not waited for', async () => {
  withoutWaiting();
  const session = await world.open();
  const pid = Number((await world.turn(session, [{ pid: true }, { freeze: true }])).text);
  await expect
    .poll(async () => (await readFile(`/proc/${pid}/stat`, 'latin1')).replace(/^.*\) /, '')[0])
    .toBe('T');
  // More than a pipe holds.
  const begun = world.turn(session, 'Hello'.repeat(100_000));
  await untilOver(begun);
  expect((await begun).sentence).toMatch(/nothing came from it for 60 s/);
  expect((await world.turn(session, [{ say: 'Again.' }])).text).toBe('Again.');
});

test('no silence counts while a person is asked, or a tool works', async () => {
  withoutWaiting();
  const session = await world.open();
  const permission = { toolCallId: 'c1', kind: 'execute' as const, title: 'make' };
  const options = [{ optionId: 'once', name: 'Yes', kind: 'allow_once' as const }];
  const tool = {
    sessionUpdate: 'tool_call' as const,
    toolCallId: 'c2',
    kind: 'execute' as const,
    title: 'wait',
  };
  const result = await world.turn(
    session,
    [{ permission, options, isSilent: true }, { update: tool }, { say: 'Done.' }],
    {
      approve: () => {
        vi.advanceTimersByTime(2 * LIMITS.silentMs);
        return { decision: 'allow_once' };
      },
      onEvent: (event) => event.type === 'step' && vi.advanceTimersByTime(2 * LIMITS.silentMs),
    },
  );
  expect(result).toMatchObject({ text: 'Done.', end: { reason: 'done' } });
  expect(lastSteps(result).map(({ title }) => title)).toEqual(['make', 'wait']);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
