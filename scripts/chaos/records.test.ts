import { describe, expect, it } from 'vitest';
import type { RecordLine } from './record-lines.ts';
import { answeredUnseen, givenAgain } from './records.ts';

const agentId = 'agt_one';
const given = (batch: string, ids: readonly string[], marked = false): RecordLine => ({
  kind: 'messages',
  pid: 1,
  batch,
  conversationId: null,
  messages: ids.map((id) => ({ id, marked })),
});
const answer = (batch: string): RecordLine => ({ kind: 'answer', pid: 1, batch });

describe('a message that is answered', () => {
  const unseen = (lines: RecordLine[], id = 'msg_a') =>
    answeredUnseen([{ id, agentId }], [{ agentId, lines }]);

  it('is correct when it was in a batch that the agent answered', () => {
    expect(unseen([given('b1', ['msg_a']), answer('b1')])).toEqual([]);
    expect(unseen([given('b1', ['msg_a']), given('b2', ['msg_a'], true), answer('b2')])).toEqual([]);
  });

  it('is a violation when the agent was never given it', () => {
    expect(unseen([given('b1', ['msg_b']), answer('b1')])).toEqual([
      'msg_a is answered, and was never given to agt_one',
    ]);
  });

  it('is a violation when only another batch was answered', () => {
    expect(unseen([given('b1', ['msg_b']), given('b2', ['msg_a']), answer('b1')])).toEqual([
      'msg_a is answered, and agt_one answered none of the batches that held it',
    ]);
  });

  it('is not checked for an agent without a record', () => {
    expect(answeredUnseen([{ id: 'msg_a', agentId: 'agt_builtin' }], [{ agentId, lines: [] }])).toEqual([]);
  });
});

describe('a message that is given again', () => {
  const again = (lines: RecordLine[]) =>
    givenAgain([{ agentId, lines }], new Set(['msg_a', 'conv_a', 'card_a']));
  const click = (marked: boolean): RecordLine => ({
    kind: 'click',
    pid: 1,
    toolUseId: 'card_a',
    status: 'answered',
    marked,
  });
  const notice = (action: 'conversation_request' | 'conversation_ended'): RecordLine => ({
    kind: 'notice',
    pid: 1,
    action,
    conversationId: 'conv_a',
    marked: false,
    messages: [],
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
    const by = (pid: number, line: RecordLine): RecordLine => ({ ...line, pid });
    // The first one may be given nothing before its successor is.
    const beginning: RecordLine[] = [
      { kind: 'started', pid: 1 },
      { kind: 'started', pid: 2 },
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
});
