import type { Queryable } from '../../platform/db/database.ts';
import type { Locale } from '../../platform/texts/locale.ts';
import { OWNER_ID, WELCOME_PROJECT_ID } from './welcome-ids.ts';

/** Of the one row that says in which language the first start wrote its texts. */
export class WelcomeQueries {
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  async open(writtenIn: Locale): Promise<void> {
    await this.#db
      .insertInto('welcomeLanguage')
      .values({ writtenIn, isOpen: true })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }

  async isOpen(): Promise<boolean> {
    const row = await this.#db.selectFrom('welcomeLanguage').select('isOpen').executeTakeFirst();
    return row?.isOpen ?? false;
  }

  /** The language of the texts, to the one caller that closes it; undefined to every other. */
  async close(): Promise<Locale | undefined> {
    const row = await this.#db
      .updateTable('welcomeLanguage')
      .set({ isOpen: false })
      .where('isOpen', '=', true)
      .returning('writtenIn')
      .executeTakeFirst();
    return row && (row.writtenIn === 'en' ? 'en' : 'ja');
  }

  /** Locks the live welcome project. */
  async lockProject() {
    return this.#db
      .selectFrom('projects')
      .select(['name', 'description', 'createdAt'])
      .where('id', '=', WELCOME_PROJECT_ID)
      .where('deletedAt', 'is', null)
      .forNoKeyUpdate()
      .executeTakeFirst();
  }

  /** Locks the tasks that were made with the project. */
  async lockTasks(createdAt: Date) {
    return this.#db
      .selectFrom('tasks')
      .select(['id', 'title', 'description', 'version'])
      .where('projectId', '=', WELCOME_PROJECT_ID)
      .where('createdBy', '=', OWNER_ID)
      .where('createdAt', '=', createdAt)
      .where('deletedAt', 'is', null)
      .orderBy('id')
      .forNoKeyUpdate()
      .execute();
  }
}
