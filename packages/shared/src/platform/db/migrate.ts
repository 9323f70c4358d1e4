import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { CamelCasePlugin, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { ensureLogEpoch } from '../change-log/log-epoch.ts';
import { openDatabase } from './database.ts';

const MIGRATIONS_DIRECTORY = new URL('../../../migrations/', import.meta.url);

/**
 * The migrations of this build, in their order. Read when the process starts: an upgrade puts newer files under a process
 * that still runs.
 */
export const MIGRATION_NAMES: readonly string[] = readdirSync(MIGRATIONS_DIRECTORY)
  .filter((file) => file.endsWith('.sql'))
  .map((file) => file.replace(/\.sql$/, ''))
  .sort();

/** Forward-only SQL files. */
async function readMigrations(): Promise<Record<string, Migration>> {
  const entries = MIGRATION_NAMES.map(async (name) => {
    const text = await readFile(new URL(`${name}.sql`, MIGRATIONS_DIRECTORY), 'utf8');
    const migration: Migration = { up: async (db) => void (await sql.raw(text).execute(db)) };
    return [name, migration] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/**
 * Brings the database up to this build's schema, and puts right what a restore from elsewhere left wrong; idempotent,
 * and safe when several processes start at once (both lock). Throws when a migration fails; what was applied before it
 * stays.
 */
export async function migrate(databaseUrl: string): Promise<void> {
  const database = openDatabase({ url: databaseUrl, maxConnections: 1, transactionTimeoutMs: 0 });
  try {
    const migrator = new Migrator({
      db: database.db.withoutPlugins().withPlugin(new CamelCasePlugin()),
      provider: { getMigrations: readMigrations },
    });
    const { error } = await migrator.migrateToLatest();
    if (error) throw error;
    await ensureLogEpoch(database);
  } finally {
    await database.close();
  }
}
