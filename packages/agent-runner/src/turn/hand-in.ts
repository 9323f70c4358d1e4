import type { Answer, Batch, HandInOptions, TurnContext } from './turn-context.ts';

/** Answers a batch. The key is made of the batches alone, so what is sent twice is stored once. */
export async function handIn(
  answer: Answer,
  batch: Batch,
  { client }: TurnContext,
  { answers, isInterim }: HandInOptions,
): Promise<void> {
  const content = answer.content.trim();
  // "Read, no answer needed" would close the messages of the waiting turn, too.
  if (!content && isInterim) return;
  await client.callUntilAnswered('respond_chat', {
    batch_id: answers,
    idempotency_key: isInterim ? `interim:${batch.batch_id}` : `answer:${batch.batch_id}:${answers}`,
    ...(content ? { content } : {}),
    ...(content && answer.messageId ? { message_id: answer.messageId } : {}),
    ...(isInterim ? { done: false } : {}),
    ...targetOf(batch),
  });
}

/** Always named: while a card is open, another source may be the one that was delivered last. */
function targetOf({ source }: Batch) {
  return source.kind === 'conversation'
    ? { conversation_id: source.conversation_id }
    : { target_agent_id: 'user' };
}
