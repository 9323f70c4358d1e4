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
}

/**
 * The answered messages that were in no batch which the agent answered, each in words. The agent recorded every batch
 * before it went on, so a missing message was never in front of it.
 */
export function answeredUnseen(
  answered: readonly AnsweredMessage[],
  records: readonly AgentRecord[],
): string[] {
  const byAgent = new Map(records.map((record) => [record.agentId, batchesOf(record)]));
  return answered.flatMap(({ id, agentId }) => {
    const batches = byAgent.get(agentId);
    if (batches === undefined) return [];
    const holding = batches.filter(({ ids }) => ids.has(id));
    if (holding.some(({ isAnswered }) => isAnswered)) return [];
    return holding.length === 0
      ? [`${id} is answered, and was never given to ${agentId}`]
      : [`${id} is answered, and ${agentId} answered none of the batches that held it`];
  });
}

interface Batch {
  readonly ids: Set<string>;
  isAnswered: boolean;
}

function batchesOf({ lines }: AgentRecord): Batch[] {
  const batches = new Map<string, Batch>();
  for (const line of lines) {
    // The messages that come with the end of a conversation need no other answer.
    if (line.kind === 'notice')
      batches.set(`${line.action} ${line.conversationId}`, {
        ids: new Set(line.messages.map(({ id }) => id)),
        isAnswered: true,
      });
    if (line.kind !== 'messages' && line.kind !== 'answer') continue;
    const batch = batches.get(line.batch) ?? { ids: new Set(), isAnswered: false };
    batches.set(line.batch, batch);
    if (line.kind === 'answer') batch.isAnswered = true;
    else for (const { id } of line.messages) batch.ids.add(id);
  }
  return [...batches.values()];
}

/**
 * What was given to its agent again: with a mark, and without. The lines of one process are in the order in which it
 * was given things. Those of two processes are not: one that has lost its session may write down last what it was given
 * first, after its successor, which was given the same with a mark.
 */
export function givenAgain(
  records: readonly AgentRecord[],
  ours: ReadonlySet<string>,
): { repeated: number; doubled: string[] } {
  const doubled: string[] = [];
  let repeated = 0;
  for (const { agentId, lines } of records) {
    const seen = new Map<string, { process: number; marked: boolean }[]>();
    const processes = [...new Set(lines.map(({ pid }) => pid))];
    for (const line of lines) {
      const process = processes.indexOf(line.pid);
      for (const { id, what, marked } of thingsOf(line)) {
        if (!ours.has(id)) continue;
        const before = seen.get(what) ?? [];
        const isFirst = before.every((earlier) => earlier.marked && earlier.process > process);
        if (marked) repeated += 1;
        else if (!isFirst)
          doubled.push(
            `${what} was given to ${agentId} again, without a mark (process ${process + 1} of ${processes.length})`,
          );
        seen.set(what, [...before, { process, marked }]);
      }
    }
  }
  return { repeated, doubled };
}

function thingsOf(line: RecordLine): { id: string; what: string; marked: boolean }[] {
  switch (line.kind) {
    case 'messages':
      return line.messages.map(({ id, marked }) => ({ id, what: id, marked }));
    case 'notice':
      return [
        { id: line.conversationId, what: `${line.action} ${line.conversationId}`, marked: line.marked },
        ...line.messages.map(({ id, marked }) => ({ id, what: id, marked })),
      ];
    case 'click':
      return [{ id: line.toolUseId, what: `the click on ${line.toolUseId}`, marked: line.marked }];
    default:
      return [];
  }
}
