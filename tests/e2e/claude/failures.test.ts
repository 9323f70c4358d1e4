import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { claudeBinary } from '../../../scripts/claude/claude-binary.ts';
import { lastSaid } from '../../fixtures/fake-anthropic.ts';
import { ClaudeWorld } from './claude-world.ts';

let world: ClaudeWorld;
let folder: string | undefined;
afterEach(async () => {
  await world.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

const refused = (message: string) => ({ status: 400, type: 'invalid_request_error', message });
/** What the server of the model says to this message, what the person reads, and the requests at most. */
const FAILURES = [
  [
    'key',
    { status: 401, type: 'authentication_error', message: 'invalid x-api-key' },
    /was refused.*\/login/,
    3,
  ],
  ['limit', { status: 429, type: 'rate_limit_error', message: 'slow down' }, /usage limit.*slow down/, 3],
  ['busy', { status: 529, type: 'overloaded_error', message: 'Overloaded' }, /overloaded at the moment/, 3],
  ['server', { status: 500, type: 'api_error', message: 'boom' }, /reported an error \(500\)/, 3],
  [
    'model',
    { status: 404, type: 'not_found_error', message: 'none' },
    /^The model claude-\S+ does not exist/,
    2,
  ],
  ['credit', refused('Your credit balance is too low to access the Anthropic API.'), /credit .* used up/, 1],
  ['odd', refused('something odd'), /^The model refused the request: 400 something odd$/, 6],
  // It is shortened first, and repeated.
  ['long', refused('prompt is too long: 250000 tokens > 200000 maximum'), /context is too long/, 7],
] as const;

test('every failure of the model is one sentence that says what to do, and the session lives on', async () => {
  const errors = new Map(FAILURES.map(([said, error]) => [said as string, error]));
  world = await ClaudeWorld.make({ script: (request) => errors.get(lastSaid(request)) ?? { text: 'ok' } });
  const session = await world.open();
  for (const [said, , sentence, requests] of FAILURES) {
    const before = world.model.requests.length;
    const { end, answer } = await world.play(session, world.turn(said));
    expect([said, answer, end]).toEqual([
      said,
      '',
      {
        type: 'end',
        reason: 'failed',
        error: expect.any(String),
        sentence: expect.stringMatching(sentence),
      },
    ]);
    expect(world.model.requests.length - before).toBeLessThanOrEqual(requests);
    expect((await world.play(session, world.turn('And now?'))).answer).toBe('ok');
  }
});

test('a message that is sent again after a failure is answered by the same session, each time', async () => {
  let isMended = false;
  const [, overloaded] = FAILURES[2];
  world = await ClaudeWorld.make({ script: () => (isMended ? { text: 'ok' } : overloaded) });
  const session = await world.open();
  const sent = [world.message('Hello')];
  for (let attempt = 1; attempt <= 2; attempt += 1)
    expect((await world.play(session, world.turn(sent))).end).toMatchObject({ reason: 'failed' });
  isMended = true;
  expect(await world.play(session, world.turn(sent))).toMatchObject({
    answer: 'ok',
    end: { reason: 'done' },
  });
});

test('a message that was answered, and is given again after others, is answered again', async () => {
  world = await ClaudeWorld.make({ script: () => ({ text: 'ok' }) });
  const session = await world.open();
  const said = ['One', 'Two', 'Three'].map((text) => world.message(text));
  for (const message of [...said, ...said.slice(1, 2)])
    expect((await world.play(session, world.turn([message]))).answer).toBe('ok');
});

test('not signed in is said in the language of the person; signed in meanwhile, the same session answers', async () => {
  world = await ClaudeWorld.make({
    script: () => ({ text: 'ok' }),
    env: { ANTHROPIC_API_KEY: undefined },
  });
  const session = await world.open();
  const { end } = await world.play(session, world.turn('こんにちは'));
  expect(end).toMatchObject({ sentence: expect.stringMatching(/サインインしていません.*\/login/) });
  expect(world.model.hits).toEqual([]);
  const oauth = {
    accessToken: 'sk-ant-oat01-fake',
    refreshToken: 'sk-ant-ort01-fake',
    expiresAt: Date.now() + 3_600_000,
    scopes: ['user:inference', 'user:profile'],
    subscriptionType: 'max',
  };
  await mkdir(join(world.home, '.claude'), { recursive: true });
  await writeFile(
    join(world.home, '.claude', '.credentials.json'),
    JSON.stringify({ claudeAiOauth: oauth }),
    { mode: 0o600 },
  );
  expect((await world.play(session, world.turn('もう一度'))).answer).toBe('ok');
});

test('without a connection to the model: two retries are shown, then a sentence', async () => {
  world = await ClaudeWorld.make({
    script: () => ({ text: 'ok' }),
    env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' },
  });
  const session = await world.open();
  const { end, steps } = await world.play(session, world.turn('Hello'));
  expect(end).toMatchObject({ sentence: expect.stringMatching(/could not be reached: no connection/) });
  expect(steps).toEqual([
    expect.objectContaining({
      title: 'The model did not answer (no connection, or no answer in time): retry 2 of 2',
      status: 'failed',
    }),
  ]);
});

test('a model that accepts a request and says nothing, or stops in its answer: neither is waited for', async () => {
  const never = new Promise<never>(() => undefined);
  world = await ClaudeWorld.make({
    script: (request) => {
      if (lastSaid(request) === 'silent') return never;
      return { text: request.stream ? ['Once ', never, 'upon a time.'] : 'Once upon a time.' };
    },
    // In place of a minute and more; the least that Claude Code takes for the second.
    env: { API_TIMEOUT_MS: '3000', CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS: '10000' },
  });
  const said = async (content: string) => world.play(await world.open(), world.turn(content));
  const [silent, stopped] = await Promise.all([said('silent'), said('tell')]);
  expect(silent.end).toMatchObject({ sentence: expect.stringMatching(/no answer in time/) });
  expect(silent.steps).toMatchObject([{ title: expect.stringMatching(/retry 2 of 2/), status: 'failed' }]);
  expect(stopped).toMatchObject({ answer: 'Once upon a time.', end: { reason: 'done' } });
});

/** An executable with this content in the place of Claude Code. */
async function programOf(content: string | undefined, mode = 0o755): Promise<string> {
  folder = await mkdtemp(join(tmpdir(), 'aizuchi-broken-'));
  const executable = join(folder, 'claude');
  if (content === undefined) return executable;
  await writeFile(executable, content);
  await chmod(executable, mode);
  return executable;
}

test.each([
  ['is not there', undefined, 0, /is not there any more .*npm run add-claude/],
  ['is not executable', '#!/bin/sh\n', 0o644, /cannot be executed by the account/],
  ['ends at once', '#!/bin/sh\necho "oh no" >&2\nexit 7\n', 0o755, /could not be started .*code 7: oh no/],
  [
    'prints rubbish',
    '#!/bin/sh\necho "{{{ rubbish"\necho more\n',
    0o755,
    /could not be started .*before it was ready/,
  ],
])(
  'a program that %s: the turn says so, and the next one tries again',
  async (_, content, mode, sentence) => {
    const executable = await programOf(content, mode);
    world = await ClaudeWorld.make({ script: () => ({ text: 'ok' }), executable });
    const session = await world.open();
    const failed = { reason: 'failed', sentence: expect.stringMatching(sentence) };
    expect((await world.play(session, world.turn('Hello'))).end).toMatchObject(failed);
    await rm(executable, { force: true });
    await writeFile(executable, `#!/bin/sh\necho rubbish\nexec ${await claudeBinary()} "$@"\n`);
    await chmod(executable, 0o755);
    expect((await world.play(session, world.turn('And now?'))).answer).toBe('ok');
  },
);
