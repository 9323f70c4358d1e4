import type { Tx } from '../../platform/db/database.ts';
import { mentionedPeople, storeCommentMentions } from '../mentions/mentioned.ts';
import { insertComment, type NewComment, type StoredComment } from './task-record-queries.ts';

/** Stores the comment, and puts it into the inboxes of whom it mentions. Undefined: there is one of this id. */
export async function storeComment(
  tx: Tx,
  { projectId, ...comment }: NewComment & { readonly projectId: string },
): Promise<StoredComment | undefined> {
  const row = await insertComment(tx.db, comment);
  if (!row) return undefined;
  const { authorId: writerId, body: content } = comment;
  const humanIds = await mentionedPeople(tx.db, { projectId, content, writerId });
  await storeCommentMentions(tx, { projectId, commentId: row.id, humanIds });
  return row;
}
