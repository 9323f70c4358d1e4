import type { PendingMessages } from '@aizuchi/shared/contract/tools/chat-tools';
import { answerKey } from '../../../tests/fixtures/agent-life.ts';
import { batchOf, client, write } from './session.ts';

type Target = { readonly target_agent_id: string } | { readonly conversation_id: string };

/** Answers one batch, and names in words what it answers: whoever counts finds each message in one answer. */
export async function answer(given: PendingMessages, target: Target): Promise<string | undefined> {
  const batch = batchOf(given);
  write({ kind: 'answer', batch });
  const { message } = await client.callUntilAnswered('respond_chat', {
    content: `answer to ${given.pending_messages.map(({ id }) => id).join(' ')}`,
    idempotency_key: answerKey(given.pending_messages),
    ...target,
    ...(batch !== null && { batch_id: batch }),
  });
  return message?.id;
}
