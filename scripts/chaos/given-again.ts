import type { RecordLine } from './record-lines.ts';
import type { AgentRecord } from './records.ts';

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
    const processes = [...new Set(lines.map((line) => line.process))];
    for (const line of lines) {
      const process = processes.indexOf(line.process);
      for (const { id, what, as, marked } of thingsOf(line)) {
        if (!ours.has(id)) continue;
        const before = seen.get(what) ?? [];
        const isFirst = before.every((earlier) => earlier.marked && earlier.process > process);
        if (marked) repeated += 1;
        else if (!isFirst)
          doubled.push(
            `${what} was given to ${agentId} again in ${as}, without a mark ` +
              `(process ${process + 1} of ${processes.length}: ${line.process})`,
          );
        seen.set(what, [...before, { process, marked }]);
      }
    }
  }
  return { repeated, doubled };
}

interface Thing {
  /** Of the message, conversation or card. */
  readonly id: string;
  /** Things with the same words are the same thing. */
  readonly what: string;
  /** What it came in. */
  readonly as: string;
  readonly marked: boolean;
}

function thingsOf(line: RecordLine): Thing[] {
  switch (line.kind) {
    case 'messages': {
      const as =
        line.conversationId === null ? 'a chat batch' : `a conversation batch of ${line.conversationId}`;
      return line.messages.map(({ id, marked }) => ({ id, what: id, as, marked }));
    }
    case 'notice': {
      const { action, conversationId: id, marked } = line;
      const as = `a conversation notice of ${id}`;
      return [
        { id, what: `${action} ${id}`, as, marked },
        ...line.messages.map((one) => ({ id: one.id, what: one.id, as, marked: one.marked })),
      ];
    }
    case 'click':
      return [
        { id: line.toolUseId, what: `the click on ${line.toolUseId}`, as: 'a card', marked: line.marked },
      ];
    default:
      return [];
  }
}
