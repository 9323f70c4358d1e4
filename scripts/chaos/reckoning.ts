import { checkInvariants } from '../../packages/shared/src/testing/invariants.ts';
import { atMost } from './at-most.ts';
import type { ChaosWorld } from './chaos-world.ts';
import { givenAgain } from './given-again.ts';
import type { Acknowledged } from './load.ts';
import { answeredUnseen, readRecords } from './records.ts';
import { areTalksOver, reckonTalks } from './talks-reckoning.ts';
import { untilOrTimeout } from './until-or-timeout.ts';

export interface Reckoning {
  readonly acknowledged: number;
  /**
   * Acknowledged messages that are not stored, neither answered nor failed, or never seen by the observer; clicks and
   * ends of conversations that their agent was never told.
   */
  readonly lost: number;
  /** Stored twice, answered twice, given to an agent twice without a mark, or a frame seen twice. */
  readonly doubled: number;
  /** Answered, but in no batch that a recording agent recorded and answered. */
  readonly unseen: number;
  /** Given to an agent again, with a mark. */
  readonly repeated: number;
  /** Failed with a reason that the person is shown, and a Retry. */
  readonly failed: number;
  /** Processes that still exist 10 s after their run ended. */
  readonly orphans: number;
  /** Other faults, in words: invariants that do not hold, responses that a client must never get. */
  readonly violations: readonly string[];
}

/** All acknowledged messages are answered long before this, or will never be. */
const ANSWER_TIMEOUT_MS = 90_000;
/** A transcript is retried with growing delays; an orphan has ten seconds. */
const REST_TIMEOUT_MS = 20_000;

interface StoredRow {
  readonly id: string;
  readonly agentId: string;
  readonly clientMessageId: string;
  readonly state: string;
  readonly redelivered: boolean;
  readonly noReply: boolean;
  readonly failure: string | null;
}

/** Waits until everything is at rest, and counts what became of the acknowledged messages of this segment. */
export async function reckon(
  world: ChaosWorld,
  segment: string,
  acknowledged: readonly Acknowledged[],
): Promise<Reckoning> {
  const stored = () =>
    world.rows<StoredRow>(
      `select id, agent_id as "agentId", client_message_id as "clientMessageId", state, redelivered,
         no_reply as "noReply", failure ->> 'code' as failure
       from chat_messages where client_message_id like $1`,
      [`${segment}-%`],
    );
  const isOver = ({ state }: StoredRow) => state === 'answered' || state === 'failed';
  await untilOrTimeout(
    async () => (await stored()).every(isOver) && (await areTalksOver(world, segment)),
    ANSWER_TIMEOUT_MS,
  );
  const rows = await stored();
  const byId = new Map(rows.map((row) => [row.id, row]));
  const wasSeen = ({ id }: Acknowledged) =>
    world.observers.some((observer) => observer.stateOf(id) === byId.get(id)?.state);
  await untilOrTimeout(() => acknowledged.every(wasSeen), REST_TIMEOUT_MS);

  const lost = acknowledged.filter((one) => !isOver(byId.get(one.id) ?? neverStored) || !wasSeen(one));
  const records = await readRecords(world.pairs);
  const messageIds = rows.map(({ id }) => id);
  const talks = await reckonTalks(world, { segment, messageIds }, records);
  const answered = [...rows, ...talks.messages].filter(({ state }) => state === 'answered');
  const unseen = answeredUnseen(answered, records);
  const ours = new Set([...messageIds, ...messageIds.map((id) => `card_${id}`), ...talks.ids]);
  for (const { id } of talks.messages) ours.add(id);
  const again = givenAgain(records, ours);
  const recorders = new Set(records.map(({ agentId }) => agentId));
  const { orphans, violations } = await restOf(world);
  return {
    acknowledged: acknowledged.length + talks.messages.length,
    lost: lost.length + talks.lost.length,
    doubled:
      rows.length -
      new Set(rows.map((row) => row.clientMessageId)).size +
      again.doubled.length +
      (await answeredTwice(world, messageIds)) +
      world.observers.reduce((sum, observer) => sum + observer.takeRepeated(), 0),
    unseen: unseen.length,
    repeated: again.repeated + rows.filter((row) => row.redelivered && !recorders.has(row.agentId)).length,
    failed: rows.filter(({ state }) => state === 'failed').length,
    orphans,
    violations: [
      ...violations,
      ...atMost(lost.map(({ id }) => whyLost(id, byId.get(id), world))),
      ...atMost(talks.lost),
      ...atMost(unseen),
      ...atMost(again.doubled),
      ...needlessFailures(rows),
      ...world.takeComplaints(),
    ],
  };
}
const neverStored: StoredRow = {
  id: '',
  agentId: '',
  clientMessageId: '',
  state: 'none',
  redelivered: false,
  noReply: false,
  failure: null,
};

function whyLost(id: string, row: StoredRow | undefined, world: ChaosWorld): string {
  const seen = world.observers.map((observer) => observer.stateOf(id) ?? 'nothing').join(', ');
  return `${id} is lost: ${row ? `stored, ${row.state}` : 'not stored'}; observers saw: ${seen}`;
}

/** The only accepted reason is that three sessions died while they held the message. */
function needlessFailures(rows: readonly StoredRow[]): string[] {
  const needless = rows.filter(({ state, failure }) => state === 'failed' && failure !== 'agent_crashed');
  const [first] = needless;
  return first ? [`${needless.length} messages failed, the first of them by ${first.failure}`] : [];
}

/** The answer of a recording agent names the messages that it answers: each may be named once. */
async function answeredTwice(world: ChaosWorld, ids: readonly string[]): Promise<number> {
  const rows = await world.rows<{ twice: number }>(
    `with since as (select min(created_at) as at from chat_messages where id = any($1))
     select count(*)::int as twice from unnest($1::text[]) as asked(id)
     where (select count(*) from chat_messages m, since
       where m.created_at >= since.at and m.sender = 'agent' and m.content like 'answer to %' and m.content like '%' || asked.id || '%') > 1`,
    [ids],
  );
  return rows[0]?.twice ?? 0;
}

/** Checks the numbered invariants, until they hold or the time is over. */
async function restOf(world: ChaosWorld): Promise<{ orphans: number; violations: readonly string[] }> {
  let found: string[] = [];
  await untilOrTimeout(async () => {
    found = await world.inDatabase((database) => checkInvariants(database, { settled: true, real: true }));
    return found.length === 0;
  }, REST_TIMEOUT_MS);
  return { orphans: found.filter((text) => text.startsWith('I-8')).length, violations: found };
}
