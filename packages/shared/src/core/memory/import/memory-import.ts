import type { ImportResult } from '../../../contract/memory.ts';
import type { Database } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { Turnstile } from '../../../platform/http/turnstile.ts';
import { type Person, projectArchived, projectNotFound } from '../../access/person.ts';
import { type MemoryTarget, requireMemory, requireMemoryNow } from '../memory-access.ts';
import { projectsForImport } from '../memory-access-queries.ts';
import { type NewEvent, storeEvents } from '../memory-store.ts';
import { type ImportRules, parseImportLine } from './import-line.ts';
import { LineTooLong, linesOf } from './ndjson-lines.ts';

const LINE_BYTES = 1_048_576;
/** Of one transaction. More are hardly faster, and the process does nothing else while it finds their terms. */
const BATCH_EVENTS = 200;
const BATCH_BYTES = 1_048_576;
/** Batches at once: imports leave connections to all other calls. */
const BATCHES = { perCaller: 2, total: 3, waiting: 100 };

interface Batch {
  readonly events: NewEvent[];
  bytes: number;
}

/** Stores a body of any size, line by line, in batches: reading waits for storing. */
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
    let batch: Batch = { events: [], bytes: 0 };
    const flush = async () => {
      const { events } = batch;
      batch = { events: [], bytes: 0 };
      const stored = await this.#store(person, target, events);
      done.imported += stored;
      done.skipped += events.length - stored;
    };
    const refuse = async (line: number, fault: string) => {
      await flush();
      return new AppError('invalid_input', `Line ${line} is not valid: ${fault}.`, {
        details: { line, reason: fault, ...done },
      });
    };
    try {
      for await (const { number, bytes } of linesOf(body, LINE_BYTES)) {
        const parsed = parseImportLine(bytes, rules);
        if (!parsed) continue;
        if ('fault' in parsed) throw await refuse(number, parsed.fault);
        batch.events.push(parsed.event);
        batch.bytes += bytes.length;
        if (batch.events.length >= BATCH_EVENTS || batch.bytes >= BATCH_BYTES) await flush();
      }
    } catch (error) {
      if (error instanceof LineTooLong) throw await refuse(error.number, 'longer than 1 MiB');
      throw error;
    }
    await flush();
    return done;
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
  async #store(person: Person, target: MemoryTarget, events: readonly NewEvent[]): Promise<number> {
    if (events.length === 0) return 0;
    let leave: () => void = () => undefined;
    await this.#turnstile.enter(person.id, (whenDone) => {
      leave = whenDone;
    });
    try {
      return await this.#database.transaction(async (tx) => {
        const now = await requireMemoryNow(tx.db, person, target);
        const projects = await projectsForImport(tx.db, now, target.agentId);
        if (events.some(({ projectId }) => projectId !== null && !projects.has(projectId)))
          throw projectNotFound();
        const { stored } = await storeEvents(tx, target.agentId, events);
        return stored.length;
      });
    } finally {
      leave();
    }
  }
}
