import { readFile } from 'node:fs/promises';
import type { ChaosPair } from './chaos-world.ts';
import { type RecordLine, recordLineSchema } from './record-lines.ts';

/** Everything that one recording agent has recorded, in order, in all of its processes. */
export interface AgentRecord {
  readonly agentId: string;
  readonly lines: readonly RecordLine[];
}

export async function readRecords(pairs: readonly ChaosPair[]): Promise<AgentRecord[]> {
  const records: AgentRecord[] = [];
  for (const { agentId, record } of pairs) {
    if (record === undefined) continue;
    const text = await readFile(record, 'utf8').catch(() => '');
    const lines = text.split('\n').filter(Boolean);
    records.push({ agentId, lines: lines.map((line) => recordLineSchema.parse(JSON.parse(line))) });
  }
  return records;
}

/** A message that the database shows as answered by a recording agent. */
export interface AnsweredMessage {
  readonly id: string;
  readonly agentId: string;
  /** It counts as read and needs no answer: only then may the notice of an end have carried it. */
  readonly noReply: boolean;
}

/**
 * The answered messages that were neither in a batch which the agent answered nor, without a reply, in the notice of
 * an end, each in words. The agent recorded everything that it was given before it went on, so a missing message was
 * never in front of it.
 */
export function answeredUnseen(
  answered: readonly AnsweredMessage[],
  records: readonly AgentRecord[],
): string[] {
  const byAgent = new Map(
    records.map((record) => [record.agentId, { batches: batchesOf(record), carried: carriedTo(record) }]),
  );
  return answered.flatMap(({ id, agentId, noReply }) => {
    const record = byAgent.get(agentId);
    if (record === undefined) return [];
    const holding = record.batches.filter(({ ids }) => ids.has(id));
    const isCarried = record.carried.has(id);
    if (holding.some(({ isAnswered }) => isAnswered) || (noReply && isCarried)) return [];
    if (holding.length > 0)
      return [`${id} is answered, and ${agentId} answered none of the batches that held it`];
    if (isCarried) return [`${id} is answered with a reply, and ${agentId} was given it only with an end`];
    return [`${id} is answered${noReply ? ' without a reply' : ''}, and was never given to ${agentId}`];
  });
}

interface Batch {
  readonly ids: Set<string>;
  isAnswered: boolean;
}

function batchesOf({ lines }: AgentRecord): Batch[] {
  const batches = new Map<string, Batch>();
  for (const line of lines) {
    if (line.kind !== 'messages' && line.kind !== 'answer') continue;
    const batch = batches.get(line.batch) ?? { ids: new Set(), isAnswered: false };
    batches.set(line.batch, batch);
    if (line.kind === 'answer') batch.isAnswered = true;
    else for (const { id } of line.messages) batch.ids.add(id);
  }
  return [...batches.values()];
}

/** The messages that came with the end of a conversation. */
function carriedTo({ lines }: AgentRecord): Set<string> {
  return new Set(lines.flatMap((line) => (line.kind === 'notice' ? line.messages.map(({ id }) => id) : [])));
}
