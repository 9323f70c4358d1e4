import type { Step as StepArgument } from '@aizuchi/shared/contract/step';
import type { StepRefusal } from '@aizuchi/shared/contract/tools/session';
import { ToolRefused, ToolUnreachable } from '@aizuchi/shared/mcp-client/tool-errors';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Step } from '../turn-events.ts';
import { AnswerId } from './answer-id.ts';
import { StepStream } from './step-stream.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const step = (id: string, more: Partial<Step> = {}): Step => ({
  id,
  kind: 'command',
  title: id,
  status: 'running',
  ...more,
});

type Answer = () => Promise<StepRefusal | undefined>;

/** A server that answers each report as the test says; it takes everything by default. */
function open(answer: Answer = async () => undefined) {
  const sent: (StepArgument & { messageId: string; at: number })[] = [];
  const logged: string[] = [];
  const answerId = new AnswerId();
  const stream = new StepStream({
    answerId,
    send: (messageId, one) => {
      sent.push({ ...one, messageId, at: performance.now() });
      return answer();
    },
    log: (sentence) => void logged.push(sentence),
  });
  const titles = () => sent.map(({ title, status }) => `${title} ${status}`);
  return { stream, sent, titles, logged, answerId };
}

const settle = () => vi.advanceTimersByTimeAsync(0);

test('steps are reported in their order, each with its end', async () => {
  const { stream, titles } = open();
  for (const id of ['a', 'b', 'c']) stream.push(step(id));
  stream.push(step('b', { status: 'failed' }));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(titles()).toEqual(['a running', 'b failed', 'c running']);
});

test('of a step that changes fast the newest state is sent, five times a second, and the last one always', async () => {
  const { stream, sent } = open();
  for (let count = 1; count <= 100; count += 1) {
    stream.push(step('a', { detail: `line ${count}` }));
    await vi.advanceTimersByTimeAsync(10);
  }
  await vi.advanceTimersByTimeAsync(1_000);
  expect(sent.length).toBeLessThanOrEqual(6);
  expect(sent.length).toBeGreaterThanOrEqual(4);
  for (const [index, { at }] of sent.entries())
    if (index > 0) expect(at - (sent[index - 1]?.at ?? 0)).toBeGreaterThanOrEqual(200);
  expect(sent.at(-1)?.detail).toBe('line 100');
});

test('what has not changed is not sent again', async () => {
  const { stream, sent } = open();
  const diff = { path: 'a.ts', before: 'a', after: 'b' };
  stream.push(step('a', { detail: 'long', diff }));
  await settle();
  stream.push(step('a', { status: 'done' }));
  stream.push(step('a', { status: 'done', detail: 'longer', diff }));
  await vi.advanceTimersByTimeAsync(300);
  expect(sent[0]).toMatchObject({ detail: 'long', diff });
  expect(sent[1]).toMatchObject({ status: 'done', detail: 'longer' });
  expect(sent[1]).not.toHaveProperty('diff');
});

test('the end of the turn ends what runs, and waits for the last reports', async () => {
  const gate = Promise.withResolvers<undefined>();
  const { stream, titles } = open(() => gate.promise);
  stream.push(step('a'));
  stream.push(step('b', { status: 'failed' }));
  let isFinished = false;
  const finished = stream.finish('done').then(() => (isFinished = true));
  await settle();
  expect([isFinished, titles()]).toEqual([false, ['a running']]);
  gate.resolve(undefined);
  await settle();
  await finished;
  // Without the pause between two reports of one step.
  expect(titles()).toEqual(['a running', 'b failed', 'a done']);
});

test('an interrupted turn ends its steps as failed', async () => {
  const { stream, titles } = open();
  stream.push(step('a'));
  await stream.finish('failed');
  expect(titles()).toEqual(['a running', 'a failed']);
});

test('a server that does not answer costs the answer a bounded time', async () => {
  const { stream, logged, sent } = open(() => new Promise(() => undefined));
  stream.push(step('a'));
  stream.push(step('b'));
  let isFinished = false;
  void stream.finish('done').then(() => (isFinished = true));
  await vi.advanceTimersByTimeAsync(4_999);
  expect(isFinished).toBe(false);
  await vi.advanceTimersByTimeAsync(2);
  expect(logged).toEqual(['the last steps could not be shown in 5000 ms']);
  expect(sent).toHaveLength(1);
});

test('a report that did not arrive is sent again, before those that came later', async () => {
  let failures = 2;
  const { stream, titles } = open(async () => {
    failures -= 1;
    if (failures >= 0) throw new ToolUnreachable('away');
    return undefined;
  });
  stream.push(step('a'));
  await settle();
  stream.push(step('b'));
  await vi.advanceTimersByTimeAsync(400);
  expect(titles()).toEqual(['a running']);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(titles()).toEqual(['a running', 'a running', 'a running', 'b running']);
});

test('steps that come too fast for the server are sent later', async () => {
  const answers: (StepRefusal | undefined)[] = ['too_fast'];
  const { stream, titles } = open(async () => answers.shift());
  stream.push(step('a'));
  await vi.advanceTimersByTimeAsync(1_900);
  expect(titles()).toEqual(['a running']);
  await vi.advanceTimersByTimeAsync(200);
  expect(titles()).toEqual(['a running', 'a running']);
});

test('a step that is refused is left out; a session that is over ends the reports', async () => {
  const refusals = [new ToolRefused('invalid_input', 'no'), new ToolRefused('unauthenticated', 'over')];
  const { stream, titles, logged } = open(async () => {
    const refusal = refusals.shift();
    if (refusal) throw refusal;
    return undefined;
  });
  for (const id of ['a', 'b', 'c']) stream.push(step(id));
  await vi.advanceTimersByTimeAsync(1_000);
  await stream.finish('done');
  expect(titles()).toEqual(['a running', 'b running']);
  expect(logged).toEqual([
    'step "a" is not shown: invalid_input: no',
    expect.stringContaining('steps are not shown any more'),
  ]);
});

test('more than 200 steps: the others are left out, and those that are shown still change', async () => {
  const { stream, sent, logged } = open();
  for (let count = 0; count < 205; count += 1) stream.push(step(`s${count}`, { status: 'done' }));
  await settle();
  expect(sent).toHaveLength(200);
  stream.push(step('s7', { status: 'failed' }));
  await vi.advanceTimersByTimeAsync(300);
  expect(sent.at(-1)).toMatchObject({ id: 's7', status: 'failed' });
  expect(logged).toEqual(['more than 200 steps: the others are not shown']);
});

test('when the answer is shown under another id, so are its steps, whole and in their order', async () => {
  const { stream, sent, answerId } = open();
  stream.push(step('a', { detail: 'long' }));
  stream.push(step('b'));
  await settle();
  stream.push(step('a', { status: 'done' }));
  answerId.renew();
  stream.restart();
  await settle();
  expect(sent.slice(2)).toMatchObject([
    { id: 'a', status: 'done', detail: 'long', messageId: answerId.value },
    { id: 'b', messageId: answerId.value },
  ]);
  expect(sent[0]?.messageId).not.toBe(answerId.value);
});

test('an abandoned answer shows no more steps', async () => {
  const { stream, titles } = open();
  stream.push(step('a'));
  stream.push(step('b'));
  await stream.abandon();
  stream.push(step('c'));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(titles()).toEqual(['a running']);
});
