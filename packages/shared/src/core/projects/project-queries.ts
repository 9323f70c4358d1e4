import { type SelectQueryBuilder, sql } from 'kysely';
import type { z } from 'zod';
import { type Project, type ProjectStatus, projectSchema } from '../../contract/project.ts';
import { ADVISORY_LOCKS } from '../../platform/db/advisory-locks.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { after, bytesOf, type PageOf, type PageRequest, readPage } from '../../platform/db/page.ts';
import type { DB } from '../../platform/db/schema.ts';

/** Two live projects never have the same real folder. */
export const WORKING_DIRECTORY_KEY = 'projects_working_directory_key';

/** A project with all its columns, including those that only owners see. */
const storedProjectSchema = projectSchema.required({ workingDirectory: true });
export type StoredProject = z.infer<typeof storedProjectSchema>;

export interface NewProject {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly workingDirectory: string;
  readonly workingDirectoryMade: boolean;
  readonly permissionPolicy: Project['permissionPolicy'];
  readonly isolation: Project['isolation'];
  readonly egress: string[] | null;
}

export type ProjectValues = Partial<Omit<NewProject, 'id'>> & {
  readonly status?: ProjectStatus;
  readonly reviewerId?: string | null;
};

const SIZE = bytesOf({ texts: ['projects.description', 'projects.workingDirectory'] });

/** Projects that are not deleted. */
export class ProjectQueries {
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  async find(id: string): Promise<StoredProject | undefined> {
    const row = await this.#select().where('projects.id', '=', id).executeTakeFirst();
    return row && toProject(row);
  }

  /**
   * Locks the live project against changes until the transaction ends; runs and messages do not wait for
   * this.
   */
  async lock(id: string): Promise<StoredProject | undefined> {
    await this.#db.selectFrom('projects').select('id').where('id', '=', id).forNoKeyUpdate().execute();
    return this.find(id);
  }

  /** Like `lock`, and no run can be started meanwhile: its foreign key waits for this lock. */
  async lockAgainstRuns(id: string): Promise<StoredProject | undefined> {
    await this.#db.selectFrom('projects').select('id').where('id', '=', id).forUpdate().execute();
    return this.find(id);
  }

  /** In the order of their creation; fewer than the limit when they are long (PAGE_BYTES). */
  async list(
    filter: { status?: ProjectStatus | undefined; memberId?: string | undefined },
    page: PageRequest,
  ): Promise<PageOf<StoredProject>> {
    const { status, memberId } = filter;
    const found = await this.#select()
      .clearSelect()
      .select(['projects.id', 'projects.createdAt', SIZE])
      .$if(status !== undefined, (query) => query.where('projects.status', '=', status ?? ''))
      .$if(memberId !== undefined, (query) =>
        query.where(({ exists, selectFrom }) =>
          exists(
            selectFrom('projectAgents')
              .select('projectAgents.projectId')
              .whereRef('projectAgents.projectId', '=', 'projects.id')
              .where('projectAgents.agentId', '=', memberId ?? ''),
          ),
        ),
      )
      .where(after('projects', page.cursor))
      .orderBy('projects.createdAt')
      .orderBy('projects.id')
      .limit(page.limit + 1)
      .execute();
    return readPage(found, page.limit, async (ids) => {
      const rows = await this.#select()
        .where('projects.id', 'in', [...ids])
        .execute();
      return rows.map(toProject);
    });
  }

  /** Whether this id was ever used. */
  async isKnown(id: string): Promise<boolean> {
    const row = await this.#db.selectFrom('projects').select('id').where('id', '=', id).executeTakeFirst();
    return row !== undefined;
  }

  /** Whether another live project has this folder. */
  async isDirectoryInUse(workingDirectory: string, exceptId?: string): Promise<boolean> {
    const row = await this.#db
      .selectFrom('projects')
      .select('id')
      .where('workingDirectory', '=', workingDirectory)
      .where('status', '<>', 'archived')
      .where('deletedAt', 'is', null)
      .$if(exceptId !== undefined, (query) => query.where('id', '<>', exceptId ?? ''))
      .executeTakeFirst();
    return row !== undefined;
  }

  /**
   * When two transactions take a folder at the same time, the second sees the result of the first. Held until
   * the transaction ends.
   */
  async lockDirectories(): Promise<void> {
    await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.directories})`.execute(this.#db);
  }

  /**
   * False: the id is taken, or the folder. With two concurrent inserts it is undefined which of the two
   * conflicts comes first: call `isKnown`.
   */
  async insert(project: NewProject, now: Date): Promise<boolean> {
    const result = await this.#db
      .insertInto('projects')
      .values({ ...project, createdAt: now, updatedAt: now })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    return result.numInsertedOrUpdatedRows === 1n;
  }

  /** Throws a unique violation of WORKING_DIRECTORY_KEY. */
  async update(id: string, values: ProjectValues, now: Date): Promise<void> {
    await this.#db
      .updateTable('projects')
      .set({ ...values, updatedAt: now })
      .where('id', '=', id)
      .where('deletedAt', 'is', null)
      .execute();
  }

  async remove(id: string, now: Date): Promise<void> {
    await this.#db
      .updateTable('projects')
      .set({ deletedAt: now, updatedAt: now })
      .where('id', '=', id)
      .where('deletedAt', 'is', null)
      .execute();
  }

  async hasLiveRuns(id: string): Promise<boolean> {
    const run = await this.#db
      .selectFrom('agentRuns')
      .select('id')
      .where('projectId', '=', id)
      .where('state', '<>', 'exited')
      .limit(1)
      .executeTakeFirst();
    return run !== undefined;
  }

  /** False: it was a member already. */
  async addMember(projectId: string, agentId: string, now: Date): Promise<boolean> {
    const result = await this.#db
      .insertInto('projectAgents')
      .values({ projectId, agentId, createdAt: now })
      .onConflict((conflict) => conflict.columns(['projectId', 'agentId']).doNothing())
      .executeTakeFirst();
    return result.numInsertedOrUpdatedRows === 1n;
  }

  async removeMember(projectId: string, agentId: string): Promise<void> {
    await this.#db
      .deleteFrom('projectAgents')
      .where('projectId', '=', projectId)
      .where('agentId', '=', agentId)
      .execute();
  }

  #select() {
    return selectProjects(this.#db);
  }
}

function selectProjects(db: Queryable) {
  return db
    .selectFrom('projects')
    .select([
      'projects.id',
      'projects.name',
      'projects.description',
      'projects.workingDirectory',
      'projects.status',
      'projects.permissionPolicy',
      'projects.isolation',
      'projects.egress',
      // One that has left, was deleted, or may only read, is the reviewer no more.
      sql<string | null>`(select a.id from agents a where a.id = projects.reviewer_id and a.deleted_at is null
        and a.access_level is distinct from 'viewer'
        and (a.access_level = 'owner' or exists (select from project_agents m
          where m.project_id = projects.id and m.agent_id = a.id)))`.as('reviewerId'),
      'projects.chatLogFault',
      'projects.createdAt',
      'projects.updatedAt',
    ])
    .where('projects.deletedAt', 'is', null);
}

type SelectedProject =
  ReturnType<typeof selectProjects> extends SelectQueryBuilder<DB, infer _Tables, infer Row> ? Row : never;

function toProject({
  description,
  reviewerId,
  egress,
  chatLogFault,
  createdAt,
  updatedAt,
  ...row
}: SelectedProject): StoredProject {
  return storedProjectSchema.parse({
    ...row,
    ...(description !== null && { description }),
    ...(reviewerId !== null && { reviewerId }),
    ...(egress !== null && { egress }),
    ...(chatLogFault !== null && { chatLogFault }),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  });
}
