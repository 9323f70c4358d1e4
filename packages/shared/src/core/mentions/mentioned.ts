import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import type { Queryable, Tx } from '../../platform/db/database.ts';
import { insertCommentMentions, insertMentions, namedMembers } from './mention-queries.ts';
import { findMentions, mayMention } from './rules/find-mentions.ts';

/** Of one message; further ones are told nothing. */
const MAX_MENTIONED = 20;

/** The people whom a message in a chat of this project, or a comment on a task, mentions, never its writer. A text without an @ costs no query. */
export async function mentionedPeople(
  db: Queryable,
  message: { readonly projectId: string; readonly content: string; readonly writerId?: string },
): Promise<readonly string[]> {
  const { projectId, content, writerId } = message;
  if (!mayMention(content)) return [];
  const members = await namedMembers(db, projectId);
  const people = new Set(members.filter(({ type }) => type === 'human').map(({ id }) => id));
  const ids = findMentions(content, members).map(({ id }) => id);
  return [...new Set(ids)].filter((id) => people.has(id) && id !== writerId).slice(0, MAX_MENTIONED);
}

/** Puts the message into their inboxes, in the transaction that stores it. */
export async function storeMentions(
  tx: Tx,
  message: { readonly projectId: string; readonly messageId: string; readonly humanIds: readonly string[] },
): Promise<void> {
  const { projectId, messageId, humanIds } = message;
  if (humanIds.length === 0) return;
  await tellInboxes(tx, projectId, await insertMentions(tx.db, { messageId, humanIds }));
}

/** Puts the comment into their inboxes, in the transaction that stores it. */
export async function storeCommentMentions(
  tx: Tx,
  comment: { readonly projectId: string; readonly commentId: string; readonly humanIds: readonly string[] },
): Promise<void> {
  const { projectId, commentId, humanIds } = comment;
  if (humanIds.length === 0) return;
  await tellInboxes(tx, projectId, await insertCommentMentions(tx.db, { commentId, humanIds }));
}

function tellInboxes(tx: Tx, projectId: string, humanIds: readonly string[]): Promise<void> {
  return appendChangeEvents(
    tx,
    humanIds.map((humanId) => ({ kind: 'unread', projectId, ref: { humanId } })),
  );
}
