import type { Attachment } from '../../contract/attachment.ts';
import type { Database } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import type { AgentCaller } from '../access/agent-caller.ts';
import { findGiven, readBytes } from './attachment-queries.ts';
import { attachmentNotFound } from './attachment-service.ts';
import { kindOf } from './rules/media-type.ts';
import { textPiece } from './rules/text-piece.ts';

export type GivenAttachment = { readonly attachment: Attachment } & (
  | { readonly kind: 'text'; readonly text: string; readonly nextOffset?: number }
  | { readonly kind: 'image' | 'file'; readonly bytes: Buffer }
);

/** The files that an agent was given. */
export class AgentAttachments {
  readonly #database: Database;

  constructor(deps: { readonly database: Database }) {
    this.#database = deps.database;
  }

  /** `offset`: where a text goes on. @throws AppError attachment_not_found, invalid_input */
  async get(
    caller: AgentCaller,
    { id, offset = 0 }: { readonly id: string; readonly offset?: number | undefined },
  ): Promise<GivenAttachment> {
    const { db } = this.#database;
    const attachment = await findGiven(db, { ...caller, id });
    if (!attachment) throw attachmentNotFound();
    const kind = kindOf(attachment.mediaType);
    if (offset > 0 && kind !== 'text')
      throw new AppError('invalid_input', 'offset: only a text is given in pieces.');
    const bytes = await readBytes(db, id);
    if (!bytes) throw attachmentNotFound();
    if (kind !== 'text') return { attachment, kind, bytes };
    return { attachment, kind, ...textPiece(bytes.toString('utf8'), offset) };
  }
}
