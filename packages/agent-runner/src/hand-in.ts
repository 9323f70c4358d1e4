import { ToolRefused } from '@aizuchi/shared/mcp-client/tool-errors';
import type { Close } from './driver.ts';
import type { Batch, Said, TurnContext, TurnOptions } from './turn-context.ts';

/** The keys are made of the batches or the conversation alone, so what is sent twice is stored once. */
export async function handIn(
  { reply, messageId }: Said,
  batch: Batch,
  context: TurnContext,
  options: TurnOptions,
): Promise<void> {
  if (reply !== null && typeof reply === 'object') {
    if (reply.kind === 'close') await close(reply, batch, context);
    return;
  }
  const content = reply?.trim();
  // "Read, no answer needed" would close the waiting turn too.
  if (!content && options.interim) return;
  await context.client.callUntilAnswered('respond_chat', {
    batch_id: options.answers ?? batch.batch_id,
    idempotency_key: batchKey(batch, options),
    ...(content ? { content } : {}),
    ...(content && messageId ? { message_id: messageId } : {}),
    ...(options.interim ? { done: false } : {}),
    ...targetOf(batch),
  });
}

/** Always named: while a card is open another source may be the one that was delivered last. */
function targetOf({ source }: Batch) {
  return source.kind === 'conversation'
    ? { conversation_id: source.conversation_id }
    : { target_agent_id: 'user' };
}

async function close(
  { finalMessage, report }: Close,
  { source }: Batch,
  context: TurnContext,
): Promise<void> {
  if (source.kind !== 'conversation') return;
  const id = source.conversation_id;
  try {
    await context.client.callUntilAnswered('end_conversation', {
      conversation_id: id,
      final_message: finalMessage,
      idempotency_key: `end:${id}`,
    });
  } catch (error) {
    if (!(error instanceof ToolRefused)) throw error;
    // The other side or a person was faster: it is over all the same, and the person is told.
    context.log(`the conversation ${id} had ended: ${error.code}`);
  }
  if (report !== undefined) await reportToPerson(report, id, context);
}

/** Says in the agent's chat how a conversation went. */
export async function reportToPerson(
  content: string,
  conversationId: string,
  { client }: TurnContext,
): Promise<void> {
  await client.callUntilAnswered('send_message', {
    target_agent_id: 'user',
    content,
    idempotency_key: `report:${conversationId}`,
  });
}

function batchKey({ batch_id: id }: Batch, { interim, answers = id }: TurnOptions): string {
  return interim ? `interim:${id}` : `answer:${id}:${answers}`;
}
