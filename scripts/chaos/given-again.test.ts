import { describe, expect, it } from 'vitest';
import { givenAgain } from './given-again.ts';
import type { RecordLine } from './record-lines.ts';

const agentId = 'agt_one';
const given = (batch: string, ids: readonly string[], marked = false): RecordLine => ({
  kind: 'messages',
  process: '1/a',
  batch,
  conversationId: null,
  messages: ids.map((id) => ({ id, marked })),
});

describe('a message that is given again', () => {
  const again = (lines: RecordLine[]) =>
    givenAgain([{ agentId, lines }], new Set(['msg_a', 'conv_a', 'card_a']));
  const click = (marked: boolean): RecordLine => ({
    kind: 'click',
    process: '1/a',
    toolUseId: 'card_a',
    status: 'answered',
    marked,
  });
  const notice = (
    action: 'conversation_request' | 'conversation_ended',
    messages: { id: string; marked: boolean }[] = [],
    marked = false,
  ): RecordLine => ({
    kind: 'notice',
    process: '1/a',
    action,
    conversationId: 'conv_a',
    marked,
    messages,
    finalMessage: null,
  });

  it('counts as doubled without a mark, as repeated with one', () => {
    expect(again([given('b1', ['msg_a']), given('b2', ['msg_a'], true)])).toEqual({
      repeated: 1,
      doubled: [],
    });
    expect(again([given('b1', ['msg_a']), given('b2', ['msg_a'])]).doubled).toHaveLength(1);
    expect(again([click(false), click(false)]).doubled).toHaveLength(1);
    expect(again([click(false), click(true)])).toEqual({ repeated: 1, doubled: [] });
  });

  it('is compared in the order of the processes of the agent, which may write late', () => {
    const by = (process: number, line: RecordLine): RecordLine => ({ ...line, process: `${process}/a` });
    // The first one may be given nothing before its successor is.
    const beginning: RecordLine[] = [
      { kind: 'started', process: '1/a' },
      { kind: 'started', process: '2/a' },
    ];
    const lines = (...more: RecordLine[]) => again([...beginning, ...more]).doubled;
    expect(lines(by(2, given('b2', ['msg_a'], true)), by(1, given('b1', ['msg_a'])))).toEqual([]);
    expect(lines(by(2, given('b2', ['msg_a'])), by(1, given('b1', ['msg_a'])))).toHaveLength(1);
    expect(lines(by(1, given('b1', ['msg_a'], true)), by(2, given('b2', ['msg_a'])))).toHaveLength(1);
    expect(lines(by(1, given('b1', ['msg_a'], true)), by(1, given('b2', ['msg_a'])))).toHaveLength(1);
  });

  it('is compared by kind: the request and the end of a conversation are different notices', () => {
    expect(again([notice('conversation_request'), notice('conversation_ended')]).doubled).toEqual([]);
    expect(again([notice('conversation_ended'), notice('conversation_ended')]).doubled).toHaveLength(1);
  });

  it('is counted only for the messages of this segment', () => {
    expect(again([given('b1', ['msg_b']), given('b2', ['msg_b'])]).doubled).toEqual([]);
  });

  it('counts a message in the end of a conversation, with the kind, the conversation and the process', () => {
    const inEnd = (marked: boolean, isAgain = false) =>
      notice('conversation_ended', [{ id: 'msg_a', marked }], isAgain);
    expect(again([inEnd(false), inEnd(false, true)]).doubled).toEqual([
      'msg_a was given to agt_one again in a conversation notice of conv_a, without a mark (process 1 of 1: 1/a)',
    ]);
    expect(again([inEnd(false), inEnd(true, true)]).doubled).toEqual([]);
    expect(again([given('b1', ['msg_a']), inEnd(false)]).doubled).toHaveLength(1);
    expect(again([given('b1', ['msg_a']), given('b2', ['msg_a'])]).doubled[0]).toContain('in a chat batch,');
    expect(again([click(false), click(false)]).doubled[0]).toContain('in a card,');
  });

  it('tells processes with the same process id apart', () => {
    const lines: RecordLine[] = [
      { kind: 'started', process: '7/a' },
      { kind: 'started', process: '7/b' },
      { ...given('b2', ['msg_a'], true), process: '7/b' },
      { ...given('b1', ['msg_a']), process: '7/a' },
    ];
    expect(again(lines).doubled).toEqual([]);
  });
});
