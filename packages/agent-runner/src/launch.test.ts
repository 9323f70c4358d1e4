import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { readLaunch } from './launch.ts';

const LAUNCH = {
  ticket: 'a-secret-ticket',
  runId: 'run_1',
  agentId: 'agt_1',
  projectId: 'prj_1',
  purpose: 'chat',
  provider: 'builtin',
};

const read = (text: string) => readLaunch(Readable.from([text]));

test('the first line is the launch', async () => {
  expect(await read(`${JSON.stringify(LAUNCH)}\nmore\n`)).toEqual(LAUNCH);
});

test.each([
  ['nothing', '', /No launch line/],
  ['an empty line', '\n', /No launch line/],
  ['text that is not JSON', 'a-secret-ticket\n', /not valid: the line/],
  ['an unknown provider', `${JSON.stringify({ ...LAUNCH, provider: 'other' })}\n`, /not valid: provider/],
  ['an unknown field', `${JSON.stringify({ ...LAUNCH, extra: 1 })}\n`, /not valid/],
])('%s is refused with one line that names no value of it', async (_, text, sentence) => {
  const refusal = await read(text).catch((error: unknown) => error);
  expect(String(refusal)).toMatch(sentence);
  expect(String(refusal)).not.toContain('a-secret-ticket');
});
