import {
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  type SettingSource,
  type Settings,
  type SettingsView,
  settingsViewSchema,
  type UpdateSettingsBody,
} from '../../contract/settings.ts';
import { EVERYTHING, keys } from '../../platform/change-log/keys.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SettingsFromEnv } from '../../platform/config/settings-from-env.ts';
import type { Database } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { appendAudit } from '../access/audit-queries.ts';
import { type Person, requireOwner } from '../access/person.ts';
import type { SettingsReader } from '../deps.ts';
import { readSettings, SettingsQueries, type StoredSettings } from './settings-queries.ts';

/** Contract §3 allows 2 s until a change takes effect; a lost hint costs half of it. */
const MAX_AGE_MS = 1_000;

/** The settings of this process: read once, and again after a hint (`onKeys`) or after a second. */
export class CachedSettings implements SettingsReader {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #fixed: SettingsFromEnv;
  #stored: { promise: Promise<StoredSettings>; readAt: number } | undefined;

  constructor(deps: { database: Database; clock: Clock; environment: SettingsFromEnv }) {
    this.#database = deps.database;
    this.#clock = deps.clock;
    this.#fixed = deps.environment;
  }

  async current(): Promise<Settings> {
    const stored = await this.#read();
    return fromNames((name) => this.#fixed[name] ?? stored[name] ?? SETTINGS[name].default);
  }

  async view(): Promise<SettingsView> {
    const stored = await this.#read();
    const source = (name: SettingName): SettingSource => {
      if (this.isFixed(name)) return 'env';
      return stored[name] === null ? 'default' : 'setting';
    };
    return settingsViewSchema.parse({ ...(await this.current()), sources: fromNames(source) });
  }

  /** A variable sets it: it cannot be changed here. */
  isFixed(name: SettingName): boolean {
    return this.#fixed[name] !== undefined;
  }

  forget(): void {
    this.#stored = undefined;
  }

  /** For the listener of the process. */
  onKeys(dirty: readonly string[]): void {
    if (dirty.includes(keys.settings) || dirty.includes(EVERYTHING)) this.forget();
  }

  #read(): Promise<StoredSettings> {
    const now = this.#clock.now().getTime();
    if (this.#stored && Math.abs(now - this.#stored.readAt) < MAX_AGE_MS) return this.#stored.promise;
    const promise = readSettings(this.#database);
    const entry = { promise, readAt: now };
    this.#stored = entry;
    // A failed read rejects for its waiting callers, and the next call tries again.
    promise.catch(() => {
      if (this.#stored === entry) this.#stored = undefined;
    });
    return promise;
  }
}

function fromNames<T>(value: (name: SettingName) => T): Record<SettingName, T> {
  const result: Partial<Record<SettingName, T>> = {};
  for (const name of SETTING_NAMES) result[name] = value(name);
  return result as Record<SettingName, T>;
}

export interface SettingsServiceDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly settings: CachedSettings;
}

export class SettingsService {
  readonly #deps: SettingsServiceDeps;

  constructor(deps: SettingsServiceDeps) {
    this.#deps = deps;
  }

  /** Owners only. */
  async get(person: Person): Promise<SettingsView> {
    requireOwner(person);
    return this.#deps.settings.view();
  }

  /**
   * Merges; null restores the default. Owners only; 409 set_by_environment for a value that a variable fixes.
   */
  async update(person: Person, body: UpdateSettingsBody): Promise<SettingsView> {
    requireOwner(person);
    const { database, clock, settings } = this.#deps;
    const values: Partial<StoredSettings> = {};
    for (const name of SETTING_NAMES) {
      const value = body[name];
      if (value !== undefined) values[name] = value;
    }
    const names = SETTING_NAMES.filter((name) => values[name] !== undefined);
    const fixed = names.filter((name) => settings.isFixed(name));
    if (fixed.length > 0) {
      throw new AppError(
        'set_by_environment',
        `${fixed.join(', ')}: set by an environment variable. Change the variable and start again.`,
        { details: { settings: fixed } },
      );
    }
    if (names.length > 0) {
      await database.transaction(async (tx) => {
        await new SettingsQueries(tx.db).update(values, person.id, clock.now());
        await appendAudit(tx.db, { actorId: person.id, action: 'settings.changed', details: values });
        tx.dirty(keys.settings);
        tx.afterCommit(() => settings.forget());
      });
    }
    return settings.view();
  }
}
