import type { ChaosWorld } from './chaos-world.ts';
import { type EndNotice, endsUnheard } from './end-notices.ts';
import type { RecordLine } from './record-lines.ts';
import type { AgentRecord } from './records.ts';

export interface TalkReckoning {
  /** Conversations that messages of this segment asked for. */
  readonly ids: readonly string[];
  readonly messages: readonly TalkMessage[];
  /** What was lost, in words. */
  readonly lost: readonly string[];
}

interface TalkMessage {
  readonly id: string;
  /** The agent that had to answer. */
  readonly agentId: string;
  readonly state: string;
  readonly noReply: boolean;
  /** How often its session was told to fetch the message again; null if it was never given. */
  readonly offers: number | null;
}

export async function areTalksOver(world: ChaosWorld, segment: string): Promise<boolean> {
  return (await talksOf(world, segment)).every(isOver);
}

/** Checks what became of the agents' conversations, and of the clicks on cards about these messages. */
export async function reckonTalks(
  world: ChaosWorld,
  { segment, messageIds }: { segment: string; messageIds: readonly string[] },
  records: readonly AgentRecord[],
): Promise<TalkReckoning> {
  const talks = await talksOf(world, segment);
  const ids = talks.map(({ id }) => id);
  const messages = await world.rows<TalkMessage>(
    `select m.id, m.receiver_id as "agentId", m.state, m.no_reply as "noReply", b.offers
     from chat_messages m left join delivery_batches b on b.id = m.batch_id where m.conversation_id = any($1)`,
    [ids],
  );
  const atRest = ({ state }: TalkMessage) => state === 'answered' || state === 'failed';
  return {
    ids,
    messages,
    lost: [
      ...talks.filter((talk) => !isOver(talk)).map(({ id, state }) => `${id} does not end: ${state}`),
      ...messages
        .filter((one) => !atRest(one))
        .map(
          ({ id, agentId, state, offers }) =>
            `${id} to ${agentId} is lost: ${state}, offered again ${offers}`,
        ),
      ...(await neverStored(world, records)),
      ...endsUnheard(await endNotices(world, ids, records), records),
      ...(await clicksUnheard(world, messageIds, records)),
    ],
  };
}

interface Talk {
  readonly id: string;
  readonly state: string;
}

function talksOf(world: ChaosWorld, segment: string): Promise<Talk[]> {
  return world.rows<Talk>('select id, state from conversations where purpose like $1', [
    `chaos ${segment}-%`,
  ]);
}

function isOver({ state }: Talk): boolean {
  return state === 'ended' || state === 'expired';
}

/** Messages of agents that were acknowledged to them but are not stored. */
async function neverStored(world: ChaosWorld, records: readonly AgentRecord[]): Promise<string[]> {
  const said = records.flatMap(({ lines }) => lines.flatMap((line) => (line.kind === 'said' ? line.id : [])));
  const missing = await world.rows<{ id: string }>(
    'select id from unnest($1::text[]) as said(id) where not exists (select from chat_messages m where m.id = said.id)',
    [said],
  );
  return missing.map(({ id }) => `${id} was acknowledged to an agent, and is not stored`);
}

function endNotices(
  world: ChaosWorld,
  talkIds: readonly string[],
  records: readonly AgentRecord[],
): Promise<EndNotice[]> {
  return world.rows<EndNotice>(
    `select n.conversation_id as "conversationId", n.agent_id as "agentId",
       n.acknowledged_at is not null as "isTold", n.gone_at is not null as "isGone",
       n.agent_id is not distinct from c.ended_by as "isEnder", c.final_message as "finalMessage", m.failed,
       exists (select from agent_sessions s
         where s.agent_id = n.agent_id and s.project_id = n.project_id and s.purpose = 'chat'
           and s.created_at <= coalesce(n.gone_at, m.failed_at) - interval '30 s'
           and (s.ended_at is null or s.ended_at >= coalesce(n.gone_at, m.failed_at))) as "wasLive"
     from conversation_notices n join conversations c on c.id = n.conversation_id,
       lateral (select count(*)::int as failed, max(failed_at) as failed_at from chat_messages
         where conversation_id = c.id and receiver_id = n.agent_id and state = 'failed') m
     where n.conversation_id = any($1) and n.agent_id = any($2) and n.kind in ('ended', 'expired')`,
    [talkIds, records.map(({ agentId }) => agentId)],
  );
}

async function clicksUnheard(
  world: ChaosWorld,
  messageIds: readonly string[],
  records: readonly AgentRecord[],
): Promise<string[]> {
  const clicked = await world.rows<{ id: string; agentId: string }>(
    `select tool_use_id as id, agent_id as "agentId" from user_questions
     where tool_use_id = any($1) and state = 'answered' and agent_id = any($2)`,
    [messageIds.map((id) => `card_${id}`), records.map(({ agentId }) => agentId)],
  );
  const reached = new Map(records.map(({ agentId, lines }) => [agentId, new Set(lines.flatMap(clickIn))]));
  return clicked
    .filter(({ id, agentId }) => !reached.get(agentId)?.has(id))
    .map(({ id, agentId }) => `the click on ${id} never reached ${agentId}`);
}

function clickIn(line: RecordLine): string[] {
  return line.kind === 'click' && line.status === 'answered' ? [line.toolUseId] : [];
}
