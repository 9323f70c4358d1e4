import type { InboxItem } from '../../contract/inbox.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { inboxTexts } from '../../platform/texts/inbox-texts.ts';
import type { Person } from '../access/person.ts';
import type { ServiceDeps } from '../deps.ts';
import { InboxQueries, type InboxRow } from './inbox-queries.ts';

const MAX_ITEMS = 200;
const MAX_TITLE_LENGTH = 140;
/** A run that failed longer ago, without a later run, is not shown any more. */
const FAILED_RUN_DAYS = 7;

/**
 * What waits for a person, over all projects. Read from the tables of the things themselves: nothing is
 * stored twice.
 */
export class InboxService {
  readonly #deps: Pick<ServiceDeps, 'database' | 'config' | 'clock'>;

  constructor(deps: Pick<ServiceDeps, 'database' | 'config' | 'clock'>) {
    this.#deps = deps;
  }

  /**
   * The longest waiting first, at most 200. A viewer cannot act on anything, so only unread messages wait for
   * a viewer.
   */
  async list(person: Person, limit = MAX_ITEMS): Promise<{ items: InboxItem[] }> {
    const failedRunsSince = new Date(this.#deps.clock.now().getTime() - FAILED_RUN_DAYS * 86_400_000);
    const rows = await new InboxQueries(this.#deps.database.db).list({
      personId: person.id,
      isOwner: person.accessLevel === 'owner',
      acts: person.accessLevel !== 'viewer',
      failedRunsSince,
      limit,
    });
    return { items: rows.map((row) => this.#item(row)) };
  }

  #item(row: InboxRow): InboxItem {
    return {
      kind: row.kind,
      projectId: row.projectId,
      ...(row.agentId !== null && { agentId: row.agentId }),
      refId: row.refId,
      createdAt: row.createdAt.toISOString(),
      title: this.#title(row),
    };
  }

  #title({ kind, words, name, cause, count, refId }: InboxRow): string {
    const texts = inboxTexts(this.#deps.config.locale);
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

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const characters = [...line];
  return characters.length <= MAX_TITLE_LENGTH
    ? line
    : `${characters.slice(0, MAX_TITLE_LENGTH - 1).join('')}…`;
}
