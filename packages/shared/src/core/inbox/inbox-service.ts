import { messageFailureSchema } from '../../contract/chat.ts';
import type {
  DismissInboxBody,
  InboxItem,
  InboxRef,
  PutAwayItem,
  RestoreInboxBody,
} from '../../contract/inbox.ts';
import type { PageQuery } from '../../contract/page.ts';
import { type Reason, reasonSchema } from '../../contract/reason.ts';
import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import type { Queryable, Tx } from '../../platform/db/database.ts';
import { questionOf } from '../../platform/texts/conversation-texts.ts';
import { inboxTexts } from '../../platform/texts/inbox-texts.ts';
import { type Person, requireMember } from '../access/person.ts';
import type { ServiceDeps } from '../deps.ts';
import { deleteInboxMarks, insertInboxMarks } from './inbox-mark-queries.ts';
import { InboxQueries, type InboxQuery, type InboxRow } from './inbox-queries.ts';
import { listPutAway } from './put-away-queries.ts';

export const MAX_INBOX_ITEMS = 200;
const MAX_TITLE_LENGTH = 140;
/** A run that failed longer ago, without a later run, is not shown any more. */
const FAILED_RUN_DAYS = 7;

type InboxDeps = Pick<ServiceDeps, 'database' | 'clock'> & {
  readonly config: Pick<ServiceDeps['config'], 'locale'>;
};

/**
 * What waits for a person, over all projects. Read from the tables of the things themselves: nothing is
 * stored twice, except what the person has put away.
 */
export class InboxService {
  readonly #deps: InboxDeps;

  constructor(deps: InboxDeps) {
    this.#deps = deps;
  }

  /**
   * The longest waiting first, at most 200. A viewer cannot act on anything, so only mentions and unread messages
   * wait for a viewer.
   */
  list(person: Person, limit = MAX_INBOX_ITEMS): Promise<{ items: InboxItem[] }> {
    return this.listIn(this.#deps.database.db, person, limit);
  }

  /** The same, read in the caller's transaction. */
  async listIn(
    db: Queryable,
    person: Pick<Person, 'id' | 'accessLevel'>,
    limit = MAX_INBOX_ITEMS,
  ): Promise<{ items: InboxItem[] }> {
    const rows = await new InboxQueries(db).list({ ...this.#queryOf(person), limit });
    return { items: rows.map((row) => this.#item(row)) };
  }

  /** What the inbox of this person would hold besides, last put away first. */
  async listPutAway(
    person: Person,
    page: PageQuery,
  ): Promise<{ items: PutAwayItem[]; nextCursor: string | null }> {
    const { rows, nextCursor } = await listPutAway(this.#deps.database.db, this.#queryOf(person), page);
    const items = rows.map((row) => ({
      ...this.#item(row),
      kind: row.kind,
      putAwayAt: row.putAwayAt.toISOString(),
      ...(row.hiddenUntil && { until: row.hiddenUntil.toISOString() }),
    }));
    return { items, nextCursor };
  }

  /** Hides items in the inbox of this person alone, until they happen again or `until`. */
  dismiss(person: Person, { items, until }: DismissInboxBody): Promise<void> {
    return this.#mark(person, items, async (tx) =>
      insertInboxMarks(tx.db, {
        humanId: person.id,
        items,
        now: await tx.now(),
        until: until === undefined ? null : new Date(until),
      }),
    );
  }

  /** Idempotent. */
  restore(person: Person, { items }: RestoreInboxBody): Promise<void> {
    return this.#mark(person, items, (tx) => deleteInboxMarks(tx.db, { humanId: person.id, items }));
  }

  async #mark(person: Person, items: readonly InboxRef[], store: (tx: Tx) => Promise<void>): Promise<void> {
    const projectIds = [...new Set(items.map(({ projectId }) => projectId))];
    for (const projectId of projectIds) await requireMember(this.#deps.database.db, person, projectId);
    await this.#deps.database.transaction(async (tx) => {
      await store(tx);
      // The inbox of this person, in every tab.
      await appendChangeEvents(
        tx,
        projectIds.map((projectId) => ({ kind: 'unread', projectId, ref: { humanId: person.id } })),
      );
    });
  }

  #queryOf(person: Pick<Person, 'id' | 'accessLevel'>): Omit<InboxQuery, 'limit'> {
    const now = this.#deps.clock.now();
    return {
      personId: person.id,
      isOwner: person.accessLevel === 'owner',
      acts: person.accessLevel !== 'viewer',
      failedRunsSince: new Date(now.getTime() - FAILED_RUN_DAYS * 86_400_000),
      now,
    };
  }

  #item(row: InboxRow): InboxItem {
    const reason = reasonOf(row);
    const failure = failureOf(row);
    const attempt = attemptOf(row);
    return {
      kind: row.kind,
      projectId: row.projectId,
      ...(row.agentId !== null && { agentId: row.agentId }),
      refId: row.refId,
      ...(row.taskId && { taskId: row.taskId }),
      ...(row.taskTitle && { taskTitle: oneLine(row.taskTitle) }),
      createdAt: row.createdAt.toISOString(),
      title: this.#title(row),
      ...(reason && { reason }),
      ...(failure && { failure }),
      ...(attempt && { attempt }),
    };
  }

  #title({ kind, words, name, cause, count, refId, ...row }: InboxRow): string {
    const { locale } = this.#deps.config;
    const texts = inboxTexts(locale);
    const reason = reasonOf(row);
    const asked = reason && questionOf(locale, reason);
    if (asked) return oneLine(asked.question);
    if (kind === 'failed_run') return texts.failedRun(name ?? refId, cause ?? '');
    if (kind === 'unread') return texts.unread(name ?? refId, count ?? 1);
    return oneLine(words ?? refId);
  }
}

/**
 * The inboxes that a change of these messages may have changed: null means everybody who sees the project, an
 * id means only that writer; others are absent. For streams.
 */
export function inboxesConcernedBy(
  db: Queryable,
  messageIds: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  return new InboxQueries(db).concernedBy(messageIds);
}

function reasonOf({ reason }: Pick<InboxRow, 'reason'>): Reason | undefined {
  return reasonSchema
    .optional()
    .catch(undefined)
    .parse(reason ?? undefined);
}

function failureOf({ failure }: InboxRow): InboxItem['failure'] {
  // One code of another release must not take the whole inbox away.
  return messageFailureSchema
    .optional()
    .catch(undefined)
    .parse(failure ?? undefined);
}

function attemptOf({ summary, summaryReason }: InboxRow): InboxItem['attempt'] {
  const reason = reasonOf({ reason: summaryReason });
  return summary ? { summary, ...(reason && { reason }) } : undefined;
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const characters = [...line];
  return characters.length <= MAX_TITLE_LENGTH
    ? line
    : `${characters.slice(0, MAX_TITLE_LENGTH - 1).join('')}…`;
}
