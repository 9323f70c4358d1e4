import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
import type { MembershipKey } from '../rules/work-key.ts';

export interface GoneMembership extends MembershipKey {
  readonly goneAt: Date;
}

/** Open panels of a chat. */
export class ViewerQueries {
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  async renew(
    viewer: MembershipKey & { viewerId: string; humanId: string; leaseUntil: Date },
  ): Promise<void> {
    const { projectId, agentId, viewerId, humanId, leaseUntil } = viewer;
    await this.#db
      .insertInto('sessionViewers')
      .values({ projectId, agentId, viewerId, humanId, leaseUntil })
      .onConflict((conflict) =>
        conflict
          .columns(['projectId', 'agentId', 'viewerId'])
          .doUpdateSet({ leaseUntil, humanId, leavingAt: null }),
      )
      .execute();
  }

  /**
   * Renews existing leases; a panel that never opened a chat, or closed it, does not become a viewer. Of one agent: a
   * read of its chat, which may be older than the closing.
   */
  async renewExisting(viewer: {
    projectId: string;
    agentId?: string | undefined;
    viewerId: string;
    humanId: string;
    leaseUntil: Date;
  }): Promise<void> {
    let update = this.#db
      .updateTable('sessionViewers')
      .set({ leaseUntil: viewer.leaseUntil, leavingAt: null })
      .where('projectId', '=', viewer.projectId)
      .where('viewerId', '=', viewer.viewerId)
      .where('humanId', '=', viewer.humanId);
    if (viewer.agentId !== undefined)
      update = update.where('agentId', '=', viewer.agentId).where('leavingAt', 'is', null);
    await update.execute();
  }

  /** One viewer, or all of this person. */
  async leave(key: MembershipKey & { humanId: string; viewerId?: string | undefined }): Promise<void> {
    let query = this.#db
      .deleteFrom('sessionViewers')
      .where('projectId', '=', key.projectId)
      .where('agentId', '=', key.agentId)
      .where('humanId', '=', key.humanId);
    if (key.viewerId !== undefined) query = query.where('viewerId', '=', key.viewerId);
    await query.execute();
  }

  /**
   * A viewer whose lease ran out (a sleeping tab) counts until `at` too: its reload finds the agent awake.
   */
  async leaveLater(
    key: MembershipKey & { humanId: string; viewerId?: string | undefined },
    at: Date,
  ): Promise<void> {
    let query = this.#db
      .updateTable('sessionViewers')
      .set((eb) => ({ leavingAt: at, leaseUntil: eb.fn('greatest', [eb.ref('leaseUntil'), eb.val(at)]) }))
      .where('projectId', '=', key.projectId)
      .where('agentId', '=', key.agentId)
      .where('humanId', '=', key.humanId);
    if (key.viewerId !== undefined) query = query.where('viewerId', '=', key.viewerId);
    await query.execute();
  }

  /** The viewers that still count; one that is leaving counts until its grace is over. */
  async count(key: MembershipKey, now: Date): Promise<number> {
    const row = await this.#db
      .selectFrom('sessionViewers')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('projectId', '=', key.projectId)
      .where('agentId', '=', key.agentId)
      .where('leaseUntil', '>', now)
      .where((eb) => eb.or([eb('leavingAt', 'is', null), eb('leavingAt', '>', now)]))
      .executeTakeFirstOrThrow();
    return Number(row.count);
  }

  /**
   * Memberships whose leave beacon has taken effect, the earliest first, after the position `after`: for the
   * sweeper.
   */
  async membershipsOfGone(
    now: Date,
    { after, limit }: { after: GoneMembership | null; limit: number },
  ): Promise<GoneMembership[]> {
    const { rows } = await sql<GoneMembership>`
      select project_id, agent_id, min(leaving_at) as gone_at from session_viewers
      where leaving_at <= ${now} group by project_id, agent_id
      having (min(leaving_at), project_id, agent_id)
        > (${after?.goneAt ?? new Date(0)}, ${after?.projectId ?? ''}, ${after?.agentId ?? ''})
      order by gone_at, project_id, agent_id limit ${limit}`.execute(this.#db);
    return rows;
  }

  /** Removes the viewers of the membership that have left by now; false when another sweeper did. */
  async removeGone(key: MembershipKey, now: Date): Promise<boolean> {
    const result = await this.#db
      .deleteFrom('sessionViewers')
      .where('projectId', '=', key.projectId)
      .where('agentId', '=', key.agentId)
      .where('leavingAt', '<=', now)
      .executeTakeFirst();
    return result.numDeletedRows > 0n;
  }
}
