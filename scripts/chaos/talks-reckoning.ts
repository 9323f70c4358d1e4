import type { ChaosWorld } from './chaos-world.ts';
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
    `select m.id, m.receiver_id as "agentId", m.state, b.offers
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
      ...(await endsUnheard(world, ids, records)),
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

async function endsUnheard(
  world: ChaosWorld,
  talkIds: readonly string[],
  records: readonly AgentRecord[],
): Promise<string[]> {
  const told = await world.rows<Told>(
    `select n.conversation_id as id, n.agent_id as "agentId" from conversation_notices n
     join conversations c on c.id = n.conversation_id
     where n.conversation_id = any($1) and n.agent_id = any($2) and n.kind in ('ended', 'expired')
       and n.acknowledged_at is not null and n.agent_id is distinct from c.ended_by`,
    [talkIds, records.map(({ agentId }) => agentId)],
  );
  return unheard(told, records).map(
    ({ id, agentId }) => `the end of ${id} counts as told, and ${agentId} never heard it`,
  );
}

async function clicksUnheard(
  world: ChaosWorld,
  messageIds: readonly string[],
  records: readonly AgentRecord[],
): Promise<string[]> {
  const clicked = await world.rows<Told>(
    `select tool_use_id as id, agent_id as "agentId" from user_questions
     where tool_use_id = any($1) and state = 'answered' and agent_id = any($2)`,
    [messageIds.map((id) => `card_${id}`), records.map(({ agentId }) => agentId)],
  );
  return unheard(clicked, records).map(({ id, agentId }) => `the click on ${id} never reached ${agentId}`);
}

interface Told {
  readonly id: string;
  readonly agentId: string;
}

function unheard(told: readonly Told[], records: readonly AgentRecord[]): Told[] {
  const heard = new Map(records.map(({ agentId, lines }) => [agentId, new Set(lines.flatMap(heardIn))]));
  return told.filter(({ id, agentId }) => !heard.get(agentId)?.has(id));
}

function heardIn(line: RecordLine): string[] {
  if (line.kind === 'click') return line.status === 'answered' ? [line.toolUseId] : [];
  return line.kind === 'notice' && line.action !== 'conversation_request' ? [line.conversationId] : [];
}
