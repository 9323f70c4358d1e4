import { SETTING_NAMES, type SettingName, type Settings } from '../../contract/settings.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';

/** The stored value; null = the default. */
export type StoredSettings = { -readonly [name in keyof Settings]: number | null };

const STORED_SETTINGS = `select ${SETTING_NAMES.map((name) => `${columnOf(name)} as "${name}"`).join(', ')} from app_settings`;

/**
 * Runs about once per second in each process: one prepared statement. The migration created the single row.
 */
export async function readSettings(database: Pick<Database, 'statement'>): Promise<StoredSettings> {
  const [row] = await database.statement<StoredSettings>({
    name: 'settings',
    text: STORED_SETTINGS,
    values: [],
  });
  if (!row) throw new Error('app_settings has no row');
  return row;
}

function columnOf(name: SettingName): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export class SettingsQueries {
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  async update(values: Partial<StoredSettings>, by: string, now: Date): Promise<void> {
    await this.#db
      .updateTable('appSettings')
      .set({ ...values, updatedAt: now, updatedBy: by })
      .execute();
  }
}
