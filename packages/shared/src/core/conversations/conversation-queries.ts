import { type Selectable, sql } from 'kysely';
import { z } from 'zod';
import type { Conversation } from '../../contract/conversation.ts';
import type { Queryable } from '../../platform/db/database.ts';
import {
  bytesOf,
  firstThatFit,
  type PageOf,
  type PageRequest,
  parseCursor,
  readPage,
} from '../../platform/db/page.ts';
import type { Conversations } from '../../platform/db/schema.ts';
import type { AgentCaller } from '../access/agent-caller.ts';
import type { MembershipKey } from '../rules/work-key.ts';
import { atWorkUntilSql, waitsForFolderSql } from '../sessions/session-work.ts';
import type { ConversationSide, ConversationSnapshot } from './rules/conversation-machine.ts';
import {
  CONVERSATION_END_REASONS,
  CONVERSATION_STATES,
  type ConversationEndReason,
  type ConversationState,
} from './rules/conversation-states.ts';

/** A conversation as the rules see it, with the other columns that its callers need. */
export interface ConversationRecord extends ConversationSnapshot {
  readonly id: string;
  readonly projectId: string;
  readonly initiatorAgentId: string;
  readonly participantAgentId: string;
  readonly purpose: string | null;
  /** The task from whose session it was opened. */
  readonly taskId: string | null;
  readonly chainId: string;
  readonly initiatorSessionId: string | null;
  readonly participantSessionId: string | null;
  readonly endedBy: string | null;
  readonly endReason: ConversationEndReason | null;
  readonly finalMessage: string | null;
}

const stateSchema = z.enum(CONVERSATION_STATES);
const reasonSchema = z.enum(CONVERSATION_END_REASONS).nullable();

function toRecord(row: Selectable<Conversations> & { waitsForFolder: boolean }): ConversationRecord {
  const state = stateSchema.parse(row.state);
  return { ...row, state, endReason: reasonSchema.parse(row.endReason), atWorkUntil: null };
}

/** The side of an agent; undefined: the agent has none. */
export function sideOf(
  conversation: Pick<ConversationRecord, 'initiatorAgentId' | 'participantAgentId'>,
  agentId: string,
): ConversationSide | undefined {
  if (conversation.initiatorAgentId === agentId) return 'initiator';
  return conversation.participantAgentId === agentId ? 'participant' : undefined;
}

export function partnerOf(
  conversation: Pick<ConversationRecord, 'initiatorAgentId' | 'participantAgentId'>,
  agentId: string,
): string {
  return conversation.initiatorAgentId === agentId
    ? conversation.participantAgentId
    : conversation.initiatorAgentId;
}

export function sessionOf(conversation: ConversationRecord, agentId: string): string | null {
  return conversation.initiatorAgentId === agentId
    ? conversation.initiatorSessionId
    : conversation.participantSessionId;
}

const SIZE = bytesOf({ texts: ['c.finalMessage', 'c.purpose'] });
/** This many always fit into one answer: a conversation has at most 408 kB. */
const FIT_ALWAYS = 2;

export class ConversationQueries {
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  async find(id: string): Promise<ConversationRecord | null> {
    const row = await this.#records().where('id', '=', id).executeTakeFirst();
    return row ? toRecord(row) : null;
  }

  async lock(id: string): Promise<ConversationRecord | null> {
    const row = await this.#records().where('id', '=', id).forUpdate('conversations').executeTakeFirst();
    return row ? toRecord(row) : null;
  }

  /** See ConversationSnapshot. */
  async atWorkUntil(id: string): Promise<Date | null> {
    const row = await this.#db
      .selectFrom('conversations')
      .select(sql<Date | null>`${sql.raw(atWorkUntilSql('conversations'))}`.as('until'))
      .where('id', '=', id)
      .executeTakeFirst();
    return row?.until ?? null;
  }

  /** The public form of conversations; `chainMax` is the limit without what people have added. */
  async views(ids: readonly string[], chainMax: number): Promise<Map<string, Conversation>> {
    if (ids.length === 0) return new Map();
    const rows = await this.#viewQuery()
      .where('c.id', 'in', [...ids])
      .execute();
    return new Map(rows.map((row) => [row.id, toView(row, chainMax)]));
  }

  /** The first of these ids, as many as fit into one answer (PAGE_BYTES). */
  async firstThatFit(ids: readonly string[]): Promise<readonly string[]> {
    if (ids.length <= FIT_ALWAYS) return ids;
    const rows = await this.#db
      .selectFrom('conversations as c')
      .select(['c.id', SIZE])
      .where('c.id', 'in', [...ids])
      .execute();
    return firstThatFit(ids, new Map(rows.map(({ id, bytes }) => [id, bytes])));
  }

  /**
   * Those of a project, or of one agent in it, the newest first; fewer than the limit when their closing messages are
   * long (PAGE_BYTES).
   */
  async list(
    filter: {
      projectId: string;
      state?: readonly ConversationState[] | undefined;
      agentId?: string | undefined;
      taskId?: string | undefined;
    },
    page: PageRequest,
    chainMax: number,
  ): Promise<PageOf<Conversation>> {
    const { projectId, state, agentId, taskId } = filter;
    const position = parseCursor(page.cursor);
    const isWanted = sql<boolean>`c.project_id = ${projectId}
      and (${state ?? null}::text[] is null or c.state = any(${state ?? null}::text[]))
      and (${taskId ?? null}::text is null or c.task_id = ${taskId ?? null})
      and (${position?.id ?? null}::text is null
        or (c.created_at, c.id) < (${position?.createdAt ?? null}::timestamptz, ${position?.id ?? null}::text))`;
    // An index for each side: they are read only as far as the page goes.
    const ofSide = (side: 'initiator_agent_id' | 'participant_agent_id') => sql`(
      select c.id from conversations c where ${sql.ref(`c.${side}`)} = ${agentId} and ${isWanted}
      order by c.created_at desc, c.id desc limit ${page.limit + 1})`;
    const found = await this.#db
      .selectFrom('conversations as c')
      .select(['c.id', 'c.createdAt', SIZE])
      .where(
        agentId === undefined
          ? isWanted
          : sql<boolean>`c.id in (${ofSide('initiator_agent_id')} union all ${ofSide('participant_agent_id')})`,
      )
      .orderBy('c.createdAt', 'desc')
      .orderBy('c.id', 'desc')
      .limit(page.limit + 1)
      .execute();
    return readPage(found, page.limit, async (ids) => [...(await this.views(ids, chainMax)).values()]);
  }

  /** Pending and active ones in which the agent has a side, oldest first. */
  async liveOf(membership: MembershipKey): Promise<ConversationRecord[]> {
    const rows = await this.#records()
      .where('projectId', '=', membership.projectId)
      .where('state', 'in', ['pending', 'active'])
      .where((eb) =>
        eb.or([
          eb('initiatorAgentId', '=', membership.agentId),
          eb('participantAgentId', '=', membership.agentId),
        ]),
      )
      .orderBy('createdAt')
      .orderBy('id')
      .execute();
    return rows.map(toRecord);
  }

  /** Ended conversations whose end the agent has not acknowledged yet, and may learn, oldest first. */
  async withUnacknowledgedEnd(
    membership: Pick<AgentCaller, keyof MembershipKey | 'sessionId' | 'purpose'>,
  ): Promise<ConversationRecord[]> {
    const rows = await this.#db
      .selectFrom('conversations as c')
      .innerJoin('conversationNotices as n', 'n.conversationId', 'c.id')
      .selectAll('c')
      .select(sql<boolean>`false`.as('waitsForFolder'))
      .where('n.agentId', '=', membership.agentId)
      .where('n.projectId', '=', membership.projectId)
      .where('n.kind', '<>', 'request')
      .where('n.acknowledgedAt', 'is', null)
      .where('n.goneAt', 'is', null)
      .where((eb) =>
        membership.purpose === 'chat'
          ? eb.or([eb('n.sessionId', '=', membership.sessionId), eb('n.sessionId', 'is', null)])
          : eb('n.sessionId', '=', membership.sessionId),
      )
      .orderBy('c.createdAt')
      .orderBy('c.id')
      .execute();
    return rows.map(toRecord);
  }

  /** The agent's last conversations that are over, the newest first. */
  async endedOf(membership: MembershipKey): Promise<ConversationRecord[]> {
    const rows = await this.#records()
      .where('projectId', '=', membership.projectId)
      .where('state', 'not in', ['pending', 'active'])
      .where((eb) =>
        eb.or([
          eb('initiatorAgentId', '=', membership.agentId),
          eb('participantAgentId', '=', membership.agentId),
        ]),
      )
      .orderBy('createdAt', 'desc')
      .orderBy('id', 'desc')
      .limit(50)
      .execute();
    return rows.map(toRecord);
  }

  /** The oldest live one in which no session holds the agent's side. */
  async oldestWithout(membership: MembershipKey): Promise<string | null> {
    const live = await this.liveOf(membership);
    return live.find((conversation) => sessionOf(conversation, membership.agentId) === null)?.id ?? null;
  }

  /** The live conversation between two agents, whichever began it (trap 3). */
  async liveBetween(projectId: string, one: string, other: string): Promise<ConversationRecord | null> {
    const row = await this.#records()
      .where('projectId', '=', projectId)
      .where('state', 'in', ['pending', 'active'])
      .where(
        sql<boolean>`least(initiator_agent_id, participant_agent_id) = least(${one}::text, ${other}::text)
          and greatest(initiator_agent_id, participant_agent_id) = greatest(${one}::text, ${other}::text)`,
      )
      .executeTakeFirst();
    return row ? toRecord(row) : null;
  }

  #records() {
    return this.#db
      .selectFrom('conversations')
      .selectAll()
      .select(sql<boolean>`${sql.raw(waitsForFolderSql('conversations'))}`.as('waitsForFolder'));
  }

  #viewQuery() {
    return (
      this.#db
        .selectFrom('conversations as c')
        // A chain is deleted before its conversations.
        .leftJoin('conversationChains as h', 'h.id', 'c.chainId')
        .selectAll('c')
        .select(({ fn, ref, val }) => [
          fn.coalesce('h.messageCount', ref('c.messageCount')).as('chainMessageCount'),
          fn.coalesce('h.extraMessages', val(0)).as('chainExtra'),
        ])
    );
  }
}

function toView(
  row: Selectable<Conversations> & { chainMessageCount: number; chainExtra: number },
  chainMax: number,
): Conversation {
  return {
    id: row.id,
    projectId: row.projectId,
    initiatorAgentId: row.initiatorAgentId,
    participantAgentId: row.participantAgentId,
    state: stateSchema.parse(row.state),
    purpose: row.purpose,
    ...(row.taskId !== null && { taskId: row.taskId }),
    messageCount: row.messageCount,
    maxMessages: row.maxMessages,
    chainId: row.chainId,
    chainMessageCount: row.chainMessageCount,
    chainMaxMessages: chainMax + row.chainExtra,
    createdAt: row.createdAt.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
    endedBy: row.endedBy,
    endReason: reasonSchema.parse(row.endReason),
    finalMessage: row.finalMessage,
  };
}
