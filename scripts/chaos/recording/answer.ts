import type { PendingMessages } from '@aizuchi/shared/contract/tools/chat-tools';
import { answerKey } from '../../../tests/fixtures/agent-life.ts';
import { client, write } from './session.ts';

/**
 * Answers one batch and names the messages that it answers, so that each message can be found in exactly one answer.
 */
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
