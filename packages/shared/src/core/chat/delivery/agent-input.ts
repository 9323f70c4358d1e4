import { MAX_AGENT_MESSAGE_LENGTH } from '../../../contract/chat.ts';
import { textSchema } from '../../../contract/ids.ts';
import { AppError } from '../../../platform/errors.ts';
import type { SessionRecord } from '../../sessions/session-record.ts';

const MESSAGE_ID = /^msg_[0-9a-z]{20}$/;
const agentTextSchema = textSchema(1, MAX_AGENT_MESSAGE_LENGTH);

/** A text of an agent, trimmed, 1–100,000 code points. */
export function agentText(content: string, name = 'content'): string {
  const parsed = agentTextSchema.safeParse(content);
  if (!parsed.success)
    throw new AppError('invalid_input', `${name}: ${parsed.error.issues[0]?.message ?? 'not a text'}.`);
  return parsed.data;
}

export function isMessageId(id: string): boolean {
  return MESSAGE_ID.test(id);
}

/** @throws AppError invalid_input */
export function requireMessageId(id: string | undefined): void {
  if (id !== undefined && !isMessageId(id))
    throw new AppError('invalid_input', 'message_id is msg_ and 20 characters of a–z and 0–9.');
}

/**
 * The locked session of a caller that writes. @throws AppError unauthenticated: the session has ended, or was
 * revoked.
 */
export function requireOpen(session: SessionRecord | null): SessionRecord {
  if (!session || session.state === 'ended' || session.revokedAt !== null) throw sessionOver();
  return session;
}

export function sessionOver(): AppError {
  return new AppError(
    'unauthenticated',
    'This session is over. Call get_next_action to learn why, then stop.',
  );
}
