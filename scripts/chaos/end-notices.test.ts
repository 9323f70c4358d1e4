import { expect, it } from 'vitest';
import { type EndNotice, endsUnheard } from './end-notices.ts';
import type { RecordLine } from './record-lines.ts';

const process = '1/a';
const told: EndNotice = {
  conversationId: 'conv_a',
  agentId: 'agt_one',
  isTold: true,
  isGone: false,
  isEnder: false,
  finalMessage: null,
  failed: 0,
  wasLive: false,
};
const gone: EndNotice = { ...told, isTold: false, isGone: true };
const ending: RecordLine = { kind: 'ending', process, conversationId: 'conv_a' };
const notice = (more: Partial<Extract<RecordLine, { kind: 'notice' }>> = {}): RecordLine => ({
  kind: 'notice',
  process,
  action: 'conversation_ended',
  conversationId: 'conv_a',
  marked: false,
  messages: [],
  finalMessage: null,
  ...more,
});
const unheard = (one: EndNotice, lines: RecordLine[] = []) =>
  endsUnheard([one], [{ agentId: 'agt_one', lines }]);

it('an end counts as told only if its agent heard it, or ended the conversation itself', () => {
  expect(unheard(told)).toEqual(['the end of conv_a counts as told, and agt_one never heard it']);
  expect(unheard(told, [notice({ action: 'conversation_request' })])).toHaveLength(1);
  expect(unheard(told, [notice({ conversationId: 'conv_b' })])).toHaveLength(1);
  expect(unheard(told, [notice()])).toEqual([]);
  expect(unheard(told, [ending])).toEqual([]);
  expect(unheard({ ...told, isEnder: true })).toEqual([]);
});

it('a last word is heard only with the notice, also by the second who ends the conversation', () => {
  const last = { ...told, finalMessage: 'Goodbye.' };
  const lost = ['the last word of conv_a counts as told, and agt_one never heard it'];
  expect(unheard(last, [ending])).toEqual(lost);
  expect(unheard(last, [notice()])).toEqual(lost);
  expect(unheard(last, [notice({ finalMessage: 'Goodbye.' })])).toEqual([]);
  expect(unheard({ ...last, isEnder: true })).toEqual([]);
});

it('a notice that became void is lost if its agent had a live session', () => {
  expect(unheard({ ...gone, wasLive: true })).toEqual([
    'the end of conv_a was never told to agt_one, which had a live session',
  ]);
  expect(unheard(gone)).toEqual([]);
});

it('messages that failed with an end are lost if their agent was told the end, or had a live session', () => {
  expect(unheard({ ...told, failed: 2 }, [notice()])).toEqual([
    '2 messages failed with the end of conv_a, and agt_one counts as told',
  ]);
  const text = '1 messages failed with the end of conv_a, and agt_one had a live session';
  expect(unheard({ ...gone, failed: 1, wasLive: true })).toContain(text);
  expect(unheard({ ...gone, failed: 1 })).toEqual([]);
  expect(unheard({ ...told, failed: 1, isEnder: true })).toEqual([]);
});
