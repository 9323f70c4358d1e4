import { createHash } from 'node:crypto';
import { reasonSchema } from '../../contract/reason.ts';
import type { StepList } from '../../contract/step.ts';
import type {
  AttemptList,
  CommentPage,
  CreateCommentBody,
  HistoryPage,
  MarkCommentsReadBody,
  TaskAttempt,
  TaskComment,
} from '../../contract/task.ts';
import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import type { Database } from '../../platform/db/database.ts';
import type { PageRequest } from '../../platform/db/page.ts';
import { AppError } from '../../platform/errors.ts';
import type { Person } from '../access/person.ts';
import { deleteAttachments } from '../attachments/attachment-queries.ts';
import { claimAttachments } from '../attachments/claim-attachments.ts';
import { storedAttachments } from '../attachments/stored-attachments.ts';
import { type AttemptName, stepsOfAttempt } from '../chat/steps/step-queries.ts';
import { deleteSeenMentions } from '../mentions/mention-queries.ts';
import { storeComment } from './store-comment.ts';
import { taskFact } from './task-fact.ts';
import {
  type AttemptRow,
  type CommentRow,
  deleteComment,
  findComment,
  listAttempts,
  listComments,
  listHistory,
  setCommentAttachments,
} from './task-record-queries.ts';
import { findVisible, requireOpenProject } from './visible-task.ts';

/** The comments, the history and the attempts of a task, for people. */
export class TaskRecordService {
  readonly #database: Database;

  constructor(deps: { readonly database: Database }) {
    this.#database = deps.database;
  }

  async comments(person: Person, taskId: string, page: PageRequest): Promise<CommentPage> {
    const { db } = this.#database;
    await findVisible(db, person, taskId);
    const { rows, nextCursor } = await listComments(db, taskId, page);
    return { comments: rows.map(toComment), nextCursor };
  }

  /**
   * Idempotent by its `clientCommentId`. @throws AppError client_message_id_reused: with other content;
   * attachment_not_found, attachment_in_use
   */
  async comment(person: Person, taskId: string, input: CreateCommentBody): Promise<TaskComment> {
    return this.#database.transaction(async (tx) => {
      const { projectId } = await findVisible(tx.db, person, taskId);
      await requireOpenProject(tx.db, person, projectId);
      const { body, attachments: ids = [], clientCommentId } = input;
      const id = clientCommentId === undefined ? undefined : commentId(taskId, person.id, clientCommentId);
      const comment = { id, projectId, taskId, authorId: person.id, body, now: await tx.now() };
      const row = await storeComment(tx, comment);
      if (!row) {
        const first = await findComment(tx.db, id ?? '');
        if (first === undefined) throw idReused();
        const known = toComment(first);
        const knownIds = known.attachments?.map((one) => one.id) ?? [];
        if (known.body !== body || knownIds.join() !== ids.join()) throw idReused();
        return known;
      }
      // After the comment stands: of two equal calls at once only one takes the files.
      const attachments = await claimAttachments(tx, person, { ids, projectId, use: { taskId } });
      if (attachments) await setCommentAttachments(tx.db, row.id, attachments);
      await appendChangeEvents(tx, [taskFact(projectId, taskId)]);
      return toComment({ ...row, authorName: person.name, attachments: attachments ?? null });
    });
  }

  /** What mentions the caller in the comments up to this one waits no longer. @throws AppError comment_not_found */
  async markRead(person: Person, taskId: string, { upToCommentId }: MarkCommentsReadBody): Promise<void> {
    await this.#database.transaction(async (tx) => {
      const { projectId } = await findVisible(tx.db, person, taskId);
      const upTo = await findComment(tx.db, upToCommentId);
      if (upTo?.taskId !== taskId) throw commentNotFound();
      const { id: humanId } = person;
      if (await deleteSeenMentions(tx.db, { humanId, taskId, upTo }))
        await appendChangeEvents(tx, [{ kind: 'unread', projectId, ref: { humanId } }]);
    });
  }

  /** @throws AppError comment_not_found; forbidden: neither its author nor an owner. */
  async deleteComment(person: Person, taskId: string, commentId: string): Promise<void> {
    await this.#database.transaction(async (tx) => {
      const { projectId } = await findVisible(tx.db, person, taskId);
      const comment = await findComment(tx.db, commentId);
      if (comment?.taskId !== taskId) throw commentNotFound();
      await requireOpenProject(tx.db, person, projectId);
      if (comment.authorId !== person.id && person.accessLevel !== 'owner')
        throw new AppError('forbidden', 'Only its author or an owner may delete a comment.');
      if (!(await deleteComment(tx.db, commentId))) throw commentNotFound();
      await deleteAttachments(tx.db, storedAttachments(comment.attachments)?.map(({ id }) => id) ?? []);
      await appendChangeEvents(tx, [taskFact(projectId, taskId)]);
    });
  }

  async history(person: Person, taskId: string, page: PageRequest): Promise<HistoryPage> {
    const { db } = this.#database;
    await findVisible(db, person, taskId);
    const { rows, nextCursor } = await listHistory(db, taskId, page);
    const entries = rows.map(({ createdAt, byId, byName, field, from, to }) => ({
      at: createdAt.toISOString(),
      byId: byId ?? undefined,
      byName: byName ?? undefined,
      field,
      from,
      to,
    }));
    return { entries, nextCursor };
  }

  async attempts(person: Person, taskId: string): Promise<AttemptList> {
    const { db } = this.#database;
    await findVisible(db, person, taskId);
    return { attempts: (await listAttempts(db, taskId)).map(toAttempt) };
  }

  /** What is kept of an attempt; nothing of one that was never made. */
  async steps(person: Person, attempt: AttemptName): Promise<StepList> {
    const { db } = this.#database;
    await findVisible(db, person, attempt.taskId);
    return { steps: await stepsOfAttempt(db, attempt) };
  }
}

function toComment(row: CommentRow): TaskComment {
  const { id, authorId, authorName, body, createdAt } = row;
  const attachments = storedAttachments(row.attachments);
  return {
    id,
    authorId: authorId ?? undefined,
    authorName: authorName ?? undefined,
    body,
    ...(attachments && { attachments }),
    createdAt: createdAt.toISOString(),
  };
}

function toAttempt({
  runId,
  startedAt,
  endedAt,
  outcome,
  summary,
  reason,
  usage,
  steps,
  ...row
}: AttemptRow): TaskAttempt {
  return {
    ...row,
    runId: runId ?? undefined,
    startedAt: startedAt.toISOString(),
    endedAt: endedAt?.toISOString(),
    outcome: outcome ?? undefined,
    summary: summary ?? undefined,
    reason: reasonSchema
      .optional()
      .catch(undefined)
      .parse(reason ?? undefined),
    usage: usage ?? undefined,
    steps: steps ?? undefined,
  };
}

/** Always the same for the same comment of the same person. */
function commentId(...names: readonly [taskId: string, authorId: string, clientId: string]): string {
  return `cmt_${createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, 20)}`;
}

function idReused(): AppError {
  return new AppError(
    'client_message_id_reused',
    'This clientCommentId was used for a comment with another text. Use a new one for each comment.',
  );
}

function commentNotFound(): AppError {
  return new AppError('comment_not_found', 'There is no such comment on this task.');
}
