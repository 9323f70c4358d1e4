import type { PendingMessages } from '@aizuchi/shared/contract/tools/chat-tools';
import { answerKey } from '../../../tests/fixtures/agent-life.ts';
import { client, write } from './session.ts';

/** Answers one batch, and names in words what it answers: whoever counts finds each message in one answer. */
export async function answer({
  batch_id: batch = '',
  pending_messages: messages,
}: PendingMessages): Promise<string | undefined> {
  write({ kind: 'answer', batch });
  const { message } = await client.callUntilAnswered('respond_chat', {
    content: `answer to ${messages.map(({ id }) => id).join(' ')}`,
    batch_id: batch,
    idempotency_key: answerKey(messages),
  });
  return message?.id;
}
