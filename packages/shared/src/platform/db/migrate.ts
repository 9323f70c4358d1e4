import { readdir, readFile } from 'node:fs/promises';
import { CamelCasePlugin, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { ensureLogEpoch } from '../changes/log-epoch.ts';
import { openDatabase } from './database.ts';

const MIGRATIONS_DIRECTORY = new URL('../../../migrations/', import.meta.url);

/** Forward-only SQL files, in the order of their names. */
async function readMigrations(): Promise<Record<string, Migration>> {
  const names = (await readdir(MIGRATIONS_DIRECTORY)).filter((name) => name.endsWith('.sql')).sort();
  const entries = names.map(async (name) => {
    const text = await readFile(new URL(name, MIGRATIONS_DIRECTORY), 'utf8');
    const migration: Migration = { up: async (db) => void (await sql.raw(text).execute(db)) };
    return [name.replace(/\.sql$/, ''), migration] as const;
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

/** Whether every migration of this build has been applied: part of /readyz. */
export async function isMigrated(database: { db: ReturnType<typeof openDatabase>['db'] }): Promise<boolean> {
  const expected = Object.keys(await readMigrations()).length;
  const { rows } = await sql<{ applied: number }>`
    select count(*)::int as applied from kysely_migration`.execute(database.db);
  return (rows[0]?.applied ?? 0) >= expected;
}
