import type { ChatStatus, Message } from '@aizuchi/shared/contract/chat';
import { expect, test } from 'vitest';
import { GrowingAnswers } from './growing-answers.ts';

const membership = { projectId: 'prj_a', agentId: 'agt_a' };
const at = '2026-11-21T10:00:00.000Z';
const answer = (messageId: string) => ({ ...membership, messageId });
const message = (id: string) => ({
  projectId: 'prj_a',
  body: { type: 'message', agentId: 'agt_a', message: { id } as Message } as const,
});
const session = (chatStatus: ChatStatus, agentId = 'agt_a') => ({
  projectId: 'prj_a',
  body: { type: 'session_changed', agentId, chat: 1, task: 0, chatStatus, since: at } as const,
});

test('an answer that becomes a message is not discarded, in any order of the batch', () => {
  const answers = new GrowingAnswers();
  answers.onDelta(answer('msg_1'));
  expect(answers.onFrames([session('ready'), message('msg_1')])).toEqual([]);
  expect(answers.onFrames([session('none')])).toEqual([]);
});

test('a piece that comes after the whole answer, or after it was discarded, is known as too late', () => {
  const answers = new GrowingAnswers();
  expect(answers.isOver('msg_1')).toBe(false);
  answers.onFrames([message('msg_1'), discarded('msg_2')]);
  expect(['msg_1', 'msg_2', 'msg_3'].map((id) => answers.isOver(id))).toEqual([true, true, false]);
  answers.onFrames(Array.from({ length: 1_000 }, (_, index) => message(`msg_${index + 3}`)));
  expect(['msg_1', 'msg_2', 'msg_1002'].map((id) => answers.isOver(id))).toEqual([false, false, true]);
});

test('an agent that goes on writing, or waits for a person, has not ended', () => {
  const answers = new GrowingAnswers();
  answers.onDelta(answer('msg_1'));
  expect(
    answers.onFrames([session('busy'), session('waiting_for_person'), session('none', 'agt_b')]),
  ).toEqual([]);
  expect(answers.onFrames([session('queued')])).toEqual([answer('msg_1')]);
  expect(answers.onFrames([session('none')])).toEqual([]);
});

test('an agent that starts another answer discards the previous one', () => {
  const answers = new GrowingAnswers();
  expect(answers.onDelta(answer('msg_1'))).toEqual([]);
  expect(answers.onDelta(answer('msg_1'))).toEqual([]);
  expect(answers.onDelta(answer('msg_2'))).toEqual([answer('msg_1')]);
});

test('one that is given back as waiting is not discarded by another answer, until it grows again', () => {
  const answers = new GrowingAnswers();
  answers.onDelta(answer('msg_1'));
  answers.onDelta(answer('msg_2'));
  answers.keep(answer('msg_1'), 'waiting');
  expect(answers.onDelta(answer('msg_2'))).toEqual([]);
  expect(answers.onDelta(answer('msg_1'))).toEqual([answer('msg_2')]);
  expect(answers.onDelta(answer('msg_3'))).toEqual([answer('msg_1')]);
  answers.keep(answer('msg_1'), 'waiting');
  expect(answers.onFrames([session('ready')])).toEqual([answer('msg_3'), answer('msg_1')]);
});

const step = (messageId: string, conversationId?: string) => ({
  projectId: 'prj_a',
  body: {
    type: 'message_step',
    agentId: 'agt_a',
    messageId,
    ...(conversationId !== undefined && { conversationId }),
    step: { id: 's1', kind: 'read', title: 'Read', status: 'running' },
  } as const,
});
const discarded = (messageId: string) => ({
  projectId: 'prj_a',
  body: { type: 'message_discarded', agentId: 'agt_a', messageId } as const,
});

test('an answer of which only steps were shown is discarded with its session, and not by another one', () => {
  const answers = new GrowingAnswers();
  expect(answers.onFrames([step('msg_1'), session('busy')])).toEqual([]);
  expect(answers.onDelta(answer('msg_2'))).toEqual([]);
  expect(answers.onFrames([session('none')])).toEqual([answer('msg_1'), answer('msg_2')]);
});

test('what the log has discarded, or stored in the same batch as its last step, is over', () => {
  const answers = new GrowingAnswers();
  answers.onFrames([step('msg_1'), step('msg_2')]);
  expect(answers.onFrames([discarded('msg_1'), step('msg_2'), message('msg_2'), session('ready')])).toEqual(
    [],
  );
});

test('an answer in a conversation does not end with the state of the chat: it may be of the session of a task', () => {
  const answers = new GrowingAnswers();
  expect(answers.onFrames([step('msg_1', 'cnv_1'), session('none')])).toEqual([]);
});
