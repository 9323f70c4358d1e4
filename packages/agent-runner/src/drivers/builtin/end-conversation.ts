import { ToolRefused } from '@aizuchi/shared/mcp-client/tool-errors';
import type { SessionOptions } from '../../driver.ts';

/** The conversation is over with this turn. */
export interface ConversationEnd {
  readonly finalMessage: string;
  /** For the person in the agent's chat. */
  readonly report?: string;
}

/** null: nothing to say. */
export type ConversationReply = string | null | ConversationEnd;

type Session = Pick<SessionOptions, 'tools' | 'log'>;

export async function endConversation(
  { finalMessage, report }: ConversationEnd,
  conversationId: string,
  session: Session,
): Promise<void> {
  try {
    await session.tools.call('end_conversation', {
      conversation_id: conversationId,
      final_message: finalMessage,
      idempotency_key: `end:${conversationId}`,
    });
  } catch (error) {
    if (!(error instanceof ToolRefused)) throw error;
    // The other side or a person ended it first. The person reads the report all the same.
    session.log(`the conversation ${conversationId} had ended: ${error.code}`);
  }
  if (report !== undefined) await reportToPerson(report, conversationId, session);
}

/** Writes in the agent's chat how a conversation went. The key is made of the conversation: it is stored once. */
export async function reportToPerson(
  content: string,
  conversationId: string,
  { tools }: Pick<Session, 'tools'>,
): Promise<void> {
  await tools.call('send_message', {
    target_agent_id: 'user',
    content,
    idempotency_key: `report:${conversationId}`,
  });
}
