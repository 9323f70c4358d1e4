import type { Attachment } from '../../contract/attachment.ts';
import type { Tx } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import type { Person } from '../access/person.ts';
import { type AttachmentUse, lockAttachments, setUse } from './attachment-queries.ts';
import { attachmentNotFound } from './attachment-service.ts';

/**
 * Takes files that this person has uploaded into this project for one message or comment: each can be used once. Returns
 * what is kept with it, in the order of the ids; undefined for none.
 *
 * @throws AppError attachment_not_found, attachment_in_use
 */
export async function claimAttachments(
  tx: Tx,
  person: Person,
  {
    ids = [],
    projectId,
    use,
  }: { ids?: readonly string[] | undefined; projectId: string; use: AttachmentUse },
): Promise<readonly Attachment[] | undefined> {
  if (ids.length === 0) return undefined;
  const rows = new Map((await lockAttachments(tx.db, { ids, projectId })).map((row) => [row.id, row]));
  const found = ids.map((id) => {
    const row = rows.get(id);
    if (row?.humanId !== person.id) throw attachmentNotFound();
    return row;
  });
  if (found.some(({ messageId, taskId }) => messageId !== null || taskId !== null))
    throw new AppError('attachment_in_use', 'One of these files is used already. Upload it again.');
  await setUse(tx.db, ids, use);
  return found.map(({ id, name, mediaType, size }) => ({ id, name, mediaType, size }));
}
