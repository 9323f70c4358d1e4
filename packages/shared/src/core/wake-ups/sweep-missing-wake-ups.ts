import { sql } from 'kysely';
import { applySessionCommand } from '../sessions/session-lifecycle.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { NOBODY_HOLDS_SQL } from '../sessions/session-work.ts';
import { tellPair } from '../sessions/tell-pair.ts';
import { rowStep } from '../sweep-step.ts';
import { failStranded } from './fail-stranded-messages.ts';
import { wakeIfWaiting } from './wake.ts';

/** So young a message is still being posted. */
const YOUNG_MS = 500;

interface Candidate {
  readonly projectId: string;
  readonly agentId: string;
  readonly openedBy: string | null;
}

/**
 * A stored message to an agent with nothing live and no wake-up gets one; never the other way round. Where nobody can
 * come any more, it fails.
 */
export const missingWakeUps = rowStep<Candidate>({
  candidates: async ({ deps }, after, limit) => {
    // Hops from pair to pair over the index of unread messages: the cost follows the pairs, not their messages.
    const { rows } = await sql<Candidate>`
      with recursive waiting as (
        (select deliver_to, project_id from chat_messages
        where state = 'stored' and deliver_to is not null
          and (deliver_to, project_id) > (${after?.agentId ?? ''}, ${after?.projectId ?? ''})
        order by deliver_to, project_id limit 1)
        union all
        select next.deliver_to, next.project_id from waiting w cross join lateral (
          select m.deliver_to, m.project_id from chat_messages m
          where m.state = 'stored' and m.deliver_to is not null
            and (m.deliver_to, m.project_id) > (w.deliver_to, w.project_id)
          order by m.deliver_to, m.project_id limit 1) next
      )
      select w.project_id, w.deliver_to as agent_id, (select m.human_id from chat_messages m
          where m.deliver_to = w.deliver_to and m.project_id = w.project_id and m.state = 'stored'
            and m.human_id is not null and m.schedule_id is null order by m.seq limit 1) as opened_by
      from waiting w
      where not exists (select from pending_agent_purposes p where p.project_id = w.project_id
          and p.agent_id = w.deliver_to and p.purpose = 'chat')
        and not exists (select from agent_sessions s where s.project_id = w.project_id
          and s.agent_id = w.deliver_to and s.purpose = 'chat' and s.state = 'active')
        and exists (select from chat_messages m where m.deliver_to = w.deliver_to and m.project_id = w.project_id
          and m.state = 'stored' and ${sql.raw(NOBODY_HOLDS_SQL)}
          and m.created_at < ${new Date(deps.clock.now().getTime() - YOUNG_MS)})
      limit ${limit}`.execute(deps.database.db);
    return rows;
  },
  nameOf: ({ projectId, agentId }) => `${projectId}/${agentId}`,
  act: ({ deps }, pair) =>
    deps.database.transaction(async (tx) => {
      const sessions = new SessionQueries(tx.db);
      const isMember = await sessions.lockPair(pair.projectId, pair.agentId);
      const now = await tx.now();
      if (await failStranded(tx, pair, now)) return true;
      if (!isMember) return false;
      const ending = (await sessions.lockOpen(pair.projectId, pair.agentId)).find(
        (one) => one.purpose === 'chat',
      );
      if (ending && (await applySessionCommand(tx, ending, { type: 'revive' }, now)) !== null) {
        await tellPair(tx, pair);
        return true;
      }
      return wakeIfWaiting(tx, pair, { openedBy: pair.openedBy, now });
    }),
});
