import { sql } from 'kysely';
import { AppError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { Database } from './database.ts';
import { MIGRATION_NAMES } from './migrate.ts';

const NEWER =
  'The schema of the database is newer than this process: update it to the same version, or stop it.';
const OLDER = 'The schema of the database is older than this process: it is not migrated yet.';

/**
 * Whether the schema of the database is exactly that of this build: part of /readyz. After an upgrade elsewhere an old
 * process still runs, and must get no more work.
 */
export class SchemaCheck {
  readonly #database: Pick<Database, 'db'>;
  readonly #logger: Logger;
  #logged: string | undefined;

  constructor(database: Pick<Database, 'db'>, logger: Logger) {
    this.#database = database;
    this.#logger = logger;
  }

  /** @throws AppError unavailable, with the reason in one sentence, which is logged once until it changes. */
  async requireCurrent(): Promise<void> {
    const problem = findProblem(await this.#applied());
    if (problem !== undefined && problem !== this.#logged) this.#logger.error(problem);
    this.#logged = problem;
    if (problem !== undefined) throw new AppError('unavailable', problem);
  }

  async #applied(): Promise<string[]> {
    try {
      const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(
        this.#database.db,
      );
      return rows.map(({ name }) => name);
    } catch (cause) {
      throw new AppError('unavailable', 'The database does not answer as it should.', { cause });
    }
  }
}

function findProblem(applied: readonly string[]): string | undefined {
  const known = new Set(MIGRATION_NAMES);
  if (applied.some((name) => !known.has(name))) return NEWER;
  return applied.length < known.size ? OLDER : undefined;
}
