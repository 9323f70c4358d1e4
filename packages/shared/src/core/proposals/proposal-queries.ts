import { sql } from 'kysely';
import { z } from 'zod';
import { type Proposal, proposalSchema, proposedPartSchema } from '../../contract/proposal.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { PAGE_BYTES } from '../../platform/db/page.ts';
import type { ProposalState } from './rules/proposal-states.ts';

interface ProposalRow {
  readonly id: string;
  readonly projectId: string;
  readonly taskId: string;
  readonly agentId: string;
  readonly parts: unknown;
  readonly state: string;
  readonly createdAt: Date;
  readonly resolvedAt: Date | null;
  readonly resolvedBy: string | null;
  readonly taskIds: string[];
}

export type NewProposal = Pick<Proposal, 'id' | 'projectId' | 'taskId' | 'agentId' | 'parts'>;

export interface Resolution {
  readonly state: Exclude<ProposalState, 'open'>;
  /** Null: the agent itself, by another proposal. */
  readonly by: string | null;
  readonly taskIds?: readonly string[];
  readonly now: Date;
}

const COLUMNS = sql.raw(
  'p.id, p.project_id, p.task_id, p.agent_id, p.parts, p.state, p.created_at, p.resolved_at, p.resolved_by, p.task_ids',
);
const partsSchema = z.array(proposedPartSchema);

/** Proposals of tasks that are not deleted. */
export class ProposalQueries {
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  async find(id: string): Promise<Proposal | undefined> {
    const { rows } = await sql<ProposalRow>`
      select ${COLUMNS} from task_proposals p join tasks t on t.id = p.task_id and t.deleted_at is null
      where p.id = ${id}`.execute(this.#db);
    return rows[0] && toProposal(rows[0]);
  }

  /** The one of a task that waits for a person. */
  async findOpen(taskId: string): Promise<Proposal | undefined> {
    const { rows } = await sql<ProposalRow>`
      select ${COLUMNS} from task_proposals p where p.task_id = ${taskId} and p.state = 'open'`.execute(
      this.#db,
    );
    return rows[0] && toProposal(rows[0]);
  }

  /** The newest first, as many as fit into one answer (PAGE_BYTES): the first is the one that may be open. */
  async ofTask(taskId: string, limit: number): Promise<Proposal[]> {
    const { rows } = await sql<ProposalRow>`
      select ${COLUMNS} from (
        select p.*, row_number() over w as n, sum(octet_length(p.parts::text)) over w as bytes
        from (select * from task_proposals where task_id = ${taskId}
          order by created_at desc, id desc limit ${limit}) p
        window w as (order by p.created_at desc, p.id desc)) p
      where p.n = 1 or p.bytes <= ${PAGE_BYTES}
      order by p.created_at desc, p.id desc`.execute(this.#db);
    return rows.map(toProposal);
  }

  async insert({ parts, ...proposal }: NewProposal, now: Date): Promise<void> {
    await this.#db
      .insertInto('taskProposals')
      .values({ ...proposal, parts: JSON.stringify(parts), createdAt: now })
      .execute();
  }

  /** False: somebody was faster. */
  async resolve(id: string, { state, by, taskIds = [], now }: Resolution): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('taskProposals')
      .set({ state, resolvedBy: by, resolvedAt: now, taskIds: [...taskIds] })
      .where('id', '=', id)
      .where('state', '=', 'open')
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }
}

function toProposal({ createdAt, resolvedAt, resolvedBy, parts, ...row }: ProposalRow): Proposal {
  return proposalSchema.parse({
    ...row,
    parts: partsSchema.parse(parts),
    createdAt: createdAt.toISOString(),
    ...(resolvedAt !== null && { resolvedAt: resolvedAt.toISOString() }),
    ...(resolvedBy !== null && { resolvedBy }),
  });
}
