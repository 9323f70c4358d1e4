import { z } from 'zod';
import { type Attachment, attachmentSchema } from '../../contract/attachment.ts';

const schema = z.array(attachmentSchema);

/** What a column `attachments` holds; undefined: no files. */
export function storedAttachments(column: unknown): Attachment[] | undefined {
  return column === null ? undefined : schema.parse(column);
}
