import type { ConversationOver } from '../../driver.ts';
import { fitMessage } from '../../turn/answer-text.ts';
import type { SourceHistory, TurnRecord } from './history/records.ts';
import { askModel, emptyReply, usageOf } from './model/ask-model.ts';
import { type OpenAiContext, promptOf } from './turn-work.ts';

const TRANSCRIPT_LENGTH = 6_000;
const CHAT = { kind: 'chat' } as const;

/**
 * The other side, a limit or a person has ended a conversation. Its outcome goes into the history of the chat. Where it
 * was begun for somebody there, the model is asked once what that person has to know.
 */
export async function reportConversation(
  over: ConversationOver,
  context: OpenAiContext,
  signal: AbortSignal,
): Promise<void> {
  const { history, session, endpoint, limits } = context;
  const conversation = { kind: 'conversation', conversation_id: over.id, agent_id: '' } as const;
  const known = history.find(conversation);
  if (!known) return;
  history.forget(conversation);
  const source = history.of(CHAT);
  const record: TurnRecord = {
    messageIds: [],
    isOpen: false,
    entries: [{ role: 'user', text: outcomeOf(over, known) }],
  };
  source.records.push(record);
  await context.save();
  // Over its limit it asks no model: nothing may be spent any more.
  if (!known.isForChat || over.reason === 'usage_limit') return;
  const { agentId, agentName } = session;
  const asked = { context, source, record, turn: { source: CHAT, agentId, agentName, context: [] } };
  const { tokens, ...prompt } = promptOf(asked, ASKED);
  const reply = emptyReply();
  const { model, redact } = endpoint;
  const { silence, replyLength: longest } = limits;
  const request = { ...prompt, model, withoutTools: true, signal, silence, longest, redact };
  try {
    for await (const _ of askModel(request, reply)) {
      // Nobody reads along.
    }
  } finally {
    const { modelId } = reply;
    // A reply that is complete has counted itself.
    const usage = usageOf(reply, reply.finish ? undefined : tokens);
    if (usage) await session.reportUsage({ ...usage, ...(modelId !== undefined && { model: modelId }) });
  }
  const content = fitMessage(session.hide(reply.text));
  if (content === '') return;
  record.entries.push({ role: 'assistant', text: content });
  await context.save();
  // The key is made of the conversation: it is stored once.
  const key = `report:${over.id}`;
  await session.tools.call('send_message', { target_agent_id: 'user', content, idempotency_key: key });
}

const ASKED =
  '[Tell the person in this chat now what came of that conversation, in their language and in a few sentences. If they know it already, or nobody waits for it, answer with nothing at all.]';

function outcomeOf({ reason, unread }: ConversationOver, { purpose, records }: SourceHistory): string {
  const said = records
    .flatMap(({ entries }) => entries)
    .flatMap(({ role, text }) =>
      role === 'tool' || text === '' ? [] : `${role === 'user' ? 'They' : 'You'}: ${text}`,
    );
  const last = unread.map(({ senderName, content }) => `${senderName}: ${content}`);
  const transcript = [...said, ...last].join('\n');
  const about = purpose ? ` about "${purpose}"` : '';
  return `[Your conversation with another agent${about} is over (${reason}). What was said:\n${endOf(transcript)}]`;
}

/** What was said last counts. */
function endOf(text: string): string {
  return text.length <= TRANSCRIPT_LENGTH ? text : `… ${text.slice(-TRANSCRIPT_LENGTH)}`;
}
