import type { ToolInput } from '@aizuchi/shared/contract/tools/tools';
import { ToolRefused } from '@aizuchi/shared/mcp-client/tool-errors';
import { refusalText } from './failure-text.ts';
import type { Answer, Batch, HandInOptions, TurnContext } from './turn-context.ts';

/** Refusals of what the answer is: another try, or another turn with the same answer, would be refused again. */
const FINAL_CODES: ReadonlySet<string> = new Set(['invalid_input', 'payload_too_large']);

/**
 * Answers a batch. The key is made of the batches alone, so what is sent twice is stored once. An answer that the server
 * does not take becomes a sentence that says so: without it the messages would be given to the model again. A turn that
 * failed leaves what it had written, and its messages fail, so that the person can send them again. Who waits in a
 * conversation, or for a turn that is still open, reads the reason in a message.
 */
export async function handIn(
  answer: Answer,
  batch: Batch,
  context: TurnContext,
  options: HandInOptions,
): Promise<void> {
  const { failure } = answer;
  if (failure === undefined) return say(answer, batch, context, options);
  if (batch.source.kind === 'conversation' || options.isInterim) {
    const content = [answer.content, failure].filter((part) => part.trim() !== '').join('\n\n');
    return say({ ...answer, content }, batch, context, options);
  }
  const isPart = answer.content.trim() !== '';
  if (isPart) await say(answer, batch, context, { ...options, isInterim: true });
  await fail({ ...answer, failure, isPart }, batch, context);
  // What came while it waited for a person has had its own words.
  if (options.answers !== batch.batch_id)
    await say({ content: '' }, batch, context, { ...options, isInterim: false });
}

async function fail(
  { failure, isPart, messageId, cost }: Answer & { readonly failure: string; readonly isPart: boolean },
  batch: Batch,
  { client, unreported, log }: TurnContext,
): Promise<void> {
  const call = { batch_id: batch.batch_id, ...targetOf(batch) };
  try {
    await client.callUntilAnswered('respond_chat', {
      ...call,
      idempotency_key: `failed:${batch.batch_id}`,
      failure,
      ...(!isPart && messageId ? { message_id: messageId } : {}),
      ...(isPart ? {} : cost),
    });
  } catch (error) {
    if (!(error instanceof ToolRefused)) throw error;
    if (!isPart) await unreported.usage(cost);
    if (!FINAL_CODES.has(error.code)) throw error;
    log(`the failure was refused: ${error.code}: ${error.message}`);
    await client.callUntilAnswered('respond_chat', {
      ...call,
      idempotency_key: `said:${batch.batch_id}`,
      content: failure,
    });
  }
}

async function say(
  answer: Answer,
  batch: Batch,
  { client, unreported, log }: TurnContext,
  { answers, isInterim }: HandInOptions,
): Promise<void> {
  const content = answer.content.trim();
  // "Read, no answer needed" would close the messages of the waiting turn, too.
  if (!content && isInterim) return unreported.usage(answer.cost);
  const key = isInterim ? `interim:${batch.batch_id}` : `answer:${batch.batch_id}:${answers}`;
  const call: ToolInput<'respond_chat'> = {
    batch_id: answers,
    idempotency_key: key,
    ...(isInterim ? { done: false } : {}),
    ...targetOf(batch),
  };
  try {
    await client.callUntilAnswered('respond_chat', {
      ...call,
      ...(content ? { content } : {}),
      // Without content it says what is void: steps of an answer that is not needed.
      ...(answer.messageId ? { message_id: answer.messageId } : {}),
      ...answer.cost,
    });
  } catch (error) {
    if (!(error instanceof ToolRefused)) throw error;
    // The model has been paid, whatever becomes of its answer.
    await unreported.usage(answer.cost);
    if (!FINAL_CODES.has(error.code)) throw error;
    log(`the answer was refused: ${error.code}: ${error.message}`);
    await client.callUntilAnswered('respond_chat', {
      ...call,
      idempotency_key: `refused:${key}`,
      content: refusalText(batch.pending_messages, error.code),
    });
  }
}

/** Always named: while a card is open, another source may be the one that was delivered last. */
function targetOf({ source }: Batch) {
  return source.kind === 'conversation'
    ? { conversation_id: source.conversation_id }
    : { target_agent_id: 'user' };
}
