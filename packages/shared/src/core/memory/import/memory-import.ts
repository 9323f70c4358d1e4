import type { ImportResult } from '../../../contract/memory.ts';
import type { Database } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { Turnstile } from '../../../platform/http/turnstile.ts';
import { type Person, projectArchived, projectNotFound } from '../../access/person.ts';
import { clearPendingTerms, collectPendingTerms } from '../document-queries.ts';
import type { DocumentedEvent } from '../event-queries.ts';
import { type MemoryTarget, requireMemory, requireMemoryNow } from '../memory-access.ts';
import { projectsForImport } from '../memory-access-queries.ts';
import { documented, storeDocumented } from '../memory-store.ts';
import { type ImportRules, parseImportLine } from './import-line.ts';
import { type Line, LineFault, linesOf } from './ndjson-lines.ts';

const LINE_BYTES = 1_048_576;
/** Of one transaction. More are hardly faster, and the process does nothing else while it finds their terms. */
const BATCH_EVENTS = 200;
const BATCH_BYTES = 1_048_576;
/** Batches at once: imports leave connections to all other calls. */
const BATCHES = { perCaller: 2, total: 3, waiting: 100 };

interface Batch {
  readonly items: DocumentedEvent[];
  bytes: number;
}

/**
 * Stores a body of any size, line by line, in batches. While one is stored, the next is read and its terms are found;
 * then reading waits.
 */
export class MemoryImport {
  readonly #database: Database;
  readonly #turnstile = new Turnstile(BATCHES);

  constructor(deps: { readonly database: Database }) {
    this.#database = deps.database;
  }

  /**
   * @throws AppError invalid_input: a line is not valid; `details` names it, the lines before it are stored. The same
   * import again skips what has a sourceRef.
   */
  async run(person: Person, target: MemoryTarget, body: AsyncIterable<Uint8Array>): Promise<ImportResult> {
    const rules = await this.#rules(person, target);
    const done = { imported: 0, skipped: 0 };
    let batch: Batch = { items: [], bytes: 0 };
    let storing = Promise.resolve();
    const flush = async () => {
      await storing;
      const { items } = batch;
      batch = { items: [], bytes: 0 };
      storing = this.#store(person, target, items).then((count) => {
        done.imported += count;
        done.skipped += items.length - count;
      });
      // Thrown where it is awaited; the body may end with another error before.
      storing.catch(() => undefined);
    };
    const finish = async () => {
      await flush();
      await storing;
      if (done.imported > 0) await clearPendingTerms(this.#database.db);
      return done;
    };
    const add = async ({ number, bytes }: Line) => {
      const parsed = parseImportLine(bytes, rules);
      if (!parsed) return;
      if ('fault' in parsed) throw new LineFault(number, parsed.fault);
      batch.items.push(documented(target.agentId, parsed.event));
      batch.bytes += bytes.length;
      if (batch.items.length >= BATCH_EVENTS || batch.bytes >= BATCH_BYTES) await flush();
    };
    try {
      for await (const line of linesOf(body, LINE_BYTES)) await add(line);
    } catch (error) {
      throw error instanceof LineFault ? refusalOf(error, await finish()) : error;
    }
    return finish();
  }

  async #rules(person: Person, target: MemoryTarget): Promise<ImportRules> {
    const { db } = this.#database;
    const { agentId, projectId = null } = target;
    await requireMemory(db, person, target, 'writes');
    const projects = await projectsForImport(db, person, agentId);
    if (projectId !== null && !projects.has(projectId)) throw projectArchived();
    return { projectId, projects, now: await this.#database.now() };
  }

  /** How many were new. The caller's rights are those of this moment: an import may take minutes. */
  async #store(person: Person, target: MemoryTarget, items: readonly DocumentedEvent[]): Promise<number> {
    if (items.length === 0) return 0;
    let leave: () => void = () => undefined;
    await this.#turnstile.enter(person.id, (whenDone) => {
      leave = whenDone;
    });
    try {
      return await this.#database.transaction(async (tx) => {
        const now = await requireMemoryNow(tx.db, person, target);
        const projects = await projectsForImport(tx.db, now, target.agentId);
        if (items.some(({ event: { projectId } }) => projectId !== null && !projects.has(projectId)))
          throw projectNotFound();
        await collectPendingTerms(tx.db);
        const { stored } = await storeDocumented(tx, items);
        return stored.length;
      });
    } finally {
      leave();
    }
  }
}

function refusalOf({ line, fault }: LineFault, done: ImportResult): AppError {
  return new AppError('invalid_input', `Line ${line} is not valid: ${fault}.`, {
    details: { line, reason: fault, ...done },
  });
}
