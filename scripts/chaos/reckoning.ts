import { checkInvariants } from '../../packages/shared/src/testing/invariants.ts';
import type { House } from './house.ts';
import type { Acknowledged } from './load.ts';
import { patiently } from './patiently.ts';
import { answeredUnseen, givenAgain, readRecords } from './records.ts';
import { areTalksOver, reckonTalks } from './talks-reckoning.ts';

export interface Reckoning {
  readonly acknowledged: number;
  /**
   * Acknowledged and not stored, or never answered nor failed, or never seen by whoever looked on; a click or the end
   * of a conversation that its agent never heard.
   */
  readonly lost: number;
  /** Stored twice, answered twice, given to an agent twice without a mark, or a frame seen twice. */
  readonly doubled: number;
  /** Answered, and it stood in no batch that a recording agent wrote down and answered. */
  readonly unseen: number;
  /** Given to an agent again, and marked so. */
  readonly repeated: number;
  /** Failed with a reason that the person is told, and a Retry. */
  readonly failed: number;
  /** Processes whose run is over, 10 s later. */
  readonly orphans: number;
  /** What else is wrong, in words: invariants that do not hold, answers that a client must never see. */
  readonly violations: readonly string[];
}

/** All that was acknowledged is answered long before this, unless it never will be. */
const ANSWER_TIMEOUT_MS = 90_000;
/** A transcript is tried again with growing pauses; an orphan has ten seconds. */
const REST_TIMEOUT_MS = 20_000;

interface StoredRow {
  readonly id: string;
  readonly agentId: string;
  readonly clientMessageId: string;
  readonly state: string;
  readonly redelivered: boolean;
  readonly failure: string | null;
}

/** Waits until everything has come to rest, and counts what became of what was acknowledged in this segment. */
export async function reckon(
  house: House,
  segment: string,
  acknowledged: readonly Acknowledged[],
): Promise<Reckoning> {
  const stored = () =>
    house.rows<StoredRow>(
      `select id, agent_id as "agentId", client_message_id as "clientMessageId", state, redelivered,
         failure ->> 'code' as failure
       from chat_messages where client_message_id like $1`,
      [`${segment}-%`],
    );
  const isOver = ({ state }: StoredRow) => state === 'answered' || state === 'failed';
  await patiently(
    async () => (await stored()).every(isOver) && (await areTalksOver(house, segment)),
    ANSWER_TIMEOUT_MS,
  );
  const rows = await stored();
  const byId = new Map(rows.map((row) => [row.id, row]));
  const wasSeen = ({ id }: Acknowledged) =>
    house.onlookers.some((onlooker) => onlooker.stateOf(id) === byId.get(id)?.state);
  await patiently(() => acknowledged.every(wasSeen), REST_TIMEOUT_MS);

  const lost = acknowledged.filter((one) => !isOver(byId.get(one.id) ?? neverStored) || !wasSeen(one));
  const records = await readRecords(house.pairs);
  const messageIds = rows.map(({ id }) => id);
  const talks = await reckonTalks(house, { segment, messageIds }, records);
  const answered = [...rows, ...talks.messages].filter(({ state }) => state === 'answered');
  const unseen = answeredUnseen(answered, records);
  const ours = new Set([...messageIds, ...messageIds.map((id) => `card_${id}`), ...talks.ids]);
  for (const { id } of talks.messages) ours.add(id);
  const again = givenAgain(records, ours);
  const recorders = new Set(records.map(({ agentId }) => agentId));
  const { orphans, violations } = await restOf(house);
  return {
    acknowledged: acknowledged.length + talks.messages.length,
    lost: lost.length + talks.lost.length,
    doubled:
      rows.length -
      new Set(rows.map((row) => row.clientMessageId)).size +
      again.doubled.length +
      (await answeredTwice(house, messageIds)) +
      house.onlookers.reduce((sum, onlooker) => sum + onlooker.takeRepeated(), 0),
    unseen: unseen.length,
    repeated: again.repeated + rows.filter((row) => row.redelivered && !recorders.has(row.agentId)).length,
    failed: rows.filter(({ state }) => state === 'failed').length,
    orphans,
    violations: [
      ...violations,
      ...atMost(lost.map(({ id }) => whyLost(id, byId.get(id), house))),
      ...atMost(talks.lost),
      ...atMost(unseen),
      ...atMost(again.doubled),
      ...needlessFailures(rows),
      ...house.takeComplaints(),
    ],
  };
}
const neverStored: StoredRow = {
  id: '',
  agentId: '',
  clientMessageId: '',
  state: 'none',
  redelivered: false,
  failure: null,
};

function whyLost(id: string, row: StoredRow | undefined, house: House): string {
  const seen = house.onlookers.map((onlooker) => onlooker.stateOf(id) ?? 'nothing').join(', ');
  return `${id} is lost: ${row ? `stored, ${row.state}` : 'not stored'}; onlookers saw: ${seen}`;
}

/** Three sessions that died over one message is a reason; nothing else that happens here is. */
function needlessFailures(rows: readonly StoredRow[]): string[] {
  const needless = rows.filter(({ state, failure }) => state === 'failed' && failure !== 'agent_crashed');
  const [first] = needless;
  return first ? [`${needless.length} messages failed, the first of them by ${first.failure}`] : [];
}

/** A recording agent's answer names what it answers: each message may be named once. */
async function answeredTwice(house: House, ids: readonly string[]): Promise<number> {
  const rows = await house.rows<{ twice: number }>(
    `with since as (select min(created_at) as at from chat_messages where id = any($1))
     select count(*)::int as twice from unnest($1::text[]) as asked(id)
     where (select count(*) from chat_messages m, since
       where m.created_at >= since.at and m.sender = 'agent' and m.content like 'answer to %' and m.content like '%' || asked.id || '%') > 1`,
    [ids],
  );
  return rows[0]?.twice ?? 0;
}

/** Enough to look into it. */
function atMost(texts: readonly string[], most = 5): readonly string[] {
  return texts.length <= most
    ? texts
    : [...texts.slice(0, most), `… and ${texts.length - most} more like this`];
}

/** The numbered invariants, once they hold or once it is certain that they do not. */
async function restOf(house: House): Promise<{ orphans: number; violations: readonly string[] }> {
  let found: string[] = [];
  await patiently(async () => {
    found = await house.inDatabase((database) => checkInvariants(database, { settled: true, real: true }));
    return found.length === 0;
  }, REST_TIMEOUT_MS);
  return { orphans: found.filter((text) => text.startsWith('I-8')).length, violations: found };
}
