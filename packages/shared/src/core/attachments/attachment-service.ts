import type { Attachment } from '../../contract/attachment.ts';
import { MAX_ATTACHMENT_BYTES } from '../../contract/attachment.ts';
import { AppError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import {
  type Person,
  projectArchived,
  projectNotFound,
  requireMember,
  requireWriter,
  requireWriterNow,
} from '../access/person.ts';
import type { ServiceDeps } from '../deps.ts';
import { findAttachment, heldBy, insertAttachment, lockForUpload, readBytes } from './attachment-queries.ts';
import { cleanFileName } from './rules/file-name.ts';
import { mediaTypeOf } from './rules/media-type.ts';

/** Of one project: its quota is a sum over them. */
const MAX_FILES = 20_000;
const NAMELESS = 'file';

export interface Upload {
  readonly projectId: string;
  /** As its sender has given it. */
  readonly name: string | undefined;
  readonly bytes: Uint8Array;
}

/** The files that people attach to messages and comments. */
export class AttachmentService {
  readonly #deps: Pick<ServiceDeps, 'database' | 'config'>;

  constructor(deps: Pick<ServiceDeps, 'database' | 'config'>) {
    this.#deps = deps;
  }

  /**
   * Before the body is read: whoever may not upload must not make this process hold a file.
   *
   * @throws AppError project_not_found, forbidden
   */
  async requireUploader(person: Person, projectId: string): Promise<void> {
    await requireMember(this.#deps.database.db, person, projectId);
    requireWriter(person);
  }

  /**
   * Keeps a file. It is deleted after a day in which nothing has used it. Not idempotent.
   *
   * @throws AppError project_not_found, forbidden, project_archived, attachment_quota_reached
   */
  async upload(person: Person, { projectId, name, bytes }: Upload): Promise<Attachment> {
    if (bytes.length > MAX_ATTACHMENT_BYTES) throw tooLarge();
    if (bytes.length === 0) throw new AppError('invalid_input', 'The file is empty: send it as the body.');
    const { database, config } = this.#deps;
    await this.requireUploader(person, projectId);
    const shownName = cleanFileName(name ?? '', NAMELESS);
    const attachment = {
      id: newId('fil'),
      name: shownName,
      mediaType: mediaTypeOf(bytes, shownName),
      size: bytes.length,
    };
    await database.transaction(async (tx) => {
      const project = await lockForUpload(tx.db, projectId);
      if (!project) throw projectNotFound();
      await requireWriterNow(tx, person, projectId);
      if (project.status === 'archived') throw projectArchived();
      const held = await heldBy(tx.db, projectId);
      const quota = config.retention.attachmentBytes;
      if (held.files >= MAX_FILES || held.bytes + bytes.length > quota) throw quotaReached(held.bytes, quota);
      const row = { ...attachment, projectId, humanId: person.id, createdAt: await tx.now() };
      await insertAttachment(tx.db, row, bytes);
    });
    return attachment;
  }

  /** For whoever sees the project. @throws AppError attachment_not_found */
  async read(person: Person, id: string): Promise<{ attachment: Attachment; bytes: Buffer }> {
    const { db } = this.#deps.database;
    const found = await findAttachment(db, id);
    if (!found) throw attachmentNotFound();
    await requireMember(db, person, found.projectId).catch((error: unknown) => {
      throw error instanceof AppError && error.code === 'project_not_found' ? attachmentNotFound() : error;
    });
    const bytes = await readBytes(db, id);
    if (!bytes) throw attachmentNotFound();
    return { attachment: found, bytes };
  }
}

export function attachmentNotFound(): AppError {
  return new AppError('attachment_not_found', 'There is no such file, or you may not see it.');
}

export function tooLarge(): AppError {
  return new AppError(
    'payload_too_large',
    `The file is larger than ${MAX_ATTACHMENT_BYTES / 1_048_576} MiB.`,
    { details: { maxBytes: MAX_ATTACHMENT_BYTES } },
  );
}

function quotaReached(usedBytes: number, quotaBytes: number): AppError {
  return new AppError(
    'attachment_quota_reached',
    'The files of this project take up all the space that they may have.',
    { details: { usedBytes, quotaBytes, maxFiles: MAX_FILES } },
  );
}
