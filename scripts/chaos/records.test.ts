import { describe, expect, it } from 'vitest';
import type { RecordLine } from './record-lines.ts';
import { answeredUnseen } from './records.ts';

const agentId = 'agt_one';
const given = (batch: string, ids: readonly string[], marked = false): RecordLine => ({
  kind: 'messages',
  process: '1/a',
  batch,
  conversationId: null,
  messages: ids.map((id) => ({ id, marked })),
});
const answer = (batch: string): RecordLine => ({ kind: 'answer', process: '1/a', batch });

describe('a message that is answered', () => {
  const unseen = (lines: RecordLine[], noReply = false) =>
    answeredUnseen([{ id: 'msg_a', agentId, noReply }], [{ agentId, lines }]);
  const end = (
    ids: readonly string[],
    action: 'conversation_ended' | 'conversation_request' = 'conversation_ended',
  ) =>
    ({
      kind: 'notice',
      process: '1/a',
      action,
      conversationId: 'conv_a',
      marked: false,
      messages: ids.map((id) => ({ id, marked: false })),
      finalMessage: null,
    }) satisfies RecordLine;

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

  it('without a reply is correct when an end carried it, also when the end was told again without it', () => {
    expect(unseen([end(['msg_a'])], true)).toEqual([]);
    expect(unseen([end(['msg_a']), end([])], true)).toEqual([]);
    // Its holder ended the conversation.
    expect(unseen([given('b1', ['msg_a']), answer('b1')], true)).toEqual([]);
  });

  it('without a reply is a violation when no end carried it', () => {
    expect(unseen([end([]), given('b1', ['msg_b']), answer('b1')], true)).toEqual([
      'msg_a is answered without a reply, and was never given to agt_one',
    ]);
    expect(unseen([end([]), given('b1', ['msg_a'])], true)).toHaveLength(1);
  });

  it('with a reply is a violation when only an end carried it: that answers nothing', () => {
    expect(unseen([end(['msg_a'])])).toEqual([
      'msg_a is answered with a reply, and agt_one was given it only with an end',
    ]);
    expect(unseen([end(['msg_a']), given('b1', ['msg_a']), answer('b1')])).toEqual([]);
  });

  it('is not checked for an agent without a record', () => {
    expect(
      answeredUnseen([{ id: 'msg_a', agentId: 'agt_builtin', noReply: false }], [{ agentId, lines: [] }]),
    ).toEqual([]);
  });
});
