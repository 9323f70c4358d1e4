import { SETTING_NAMES, type Settings } from '../../contract/settings.ts';
import type { Queryable } from '../../platform/db/database.ts';

/** What is stored; null = the default. */
export type StoredSettings = { -readonly [name in keyof Settings]: number | null };

export class SettingsQueries {
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** The migration made the one row. */
  read(): Promise<StoredSettings> {
    return this.#db.selectFrom('appSettings').select(SETTING_NAMES).executeTakeFirstOrThrow();
  }

  async update(values: Partial<StoredSettings>, by: string, now: Date): Promise<void> {
    await this.#db
      .updateTable('appSettings')
      .set({ ...values, updatedAt: now, updatedBy: by })
      .execute();
  }
}
