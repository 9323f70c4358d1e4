import type { RecordLine } from './record-lines.ts';
import type { AgentRecord } from './records.ts';

/** The notice of the end of a conversation for a recording agent, as the database shows it. */
export interface EndNotice {
  readonly conversationId: string;
  readonly agentId: string;
  /** It counts as told. */
  readonly isTold: boolean;
  /** It became void: no session came. */
  readonly isGone: boolean;
  /** The agent has ended the conversation itself, before its partner. */
  readonly isEnder: boolean;
  readonly finalMessage: string | null;
  /** Messages to the agent that failed with the end. */
  readonly failed: number;
  /** A session of the agent was live for half a minute until the notice became void or its messages failed. */
  readonly wasLive: boolean;
}

/** What of these ends did not reach its agent, each in words. */
export function endsUnheard(notices: readonly EndNotice[], records: readonly AgentRecord[]): string[] {
  const linesOf = new Map(records.map(({ agentId, lines }) => [agentId, lines]));
  // Who ends a conversation knows the end, and leaves what it has not read.
  return notices
    .filter(({ isEnder }) => !isEnder)
    .flatMap((notice) => [
      ...untold(notice, linesOf.get(notice.agentId) ?? []),
      ...givenUp(notice),
      ...failedWithIt(notice),
    ]);
}

function untold(
  { conversationId, agentId, isTold, finalMessage }: EndNotice,
  lines: readonly RecordLine[],
): string[] {
  if (!isTold) return [];
  const heard = lines.flatMap((line) =>
    line.kind === 'notice' && line.conversationId === conversationId && line.action !== 'conversation_request'
      ? [line]
      : [],
  );
  const hasEnded = lines.some((line) => line.kind === 'ending' && line.conversationId === conversationId);
  if (heard.length === 0 && !hasEnded)
    return [`the end of ${conversationId} counts as told, and ${agentId} never heard it`];
  if (finalMessage !== null && heard.every((line) => line.finalMessage !== finalMessage))
    return [`the last word of ${conversationId} counts as told, and ${agentId} never heard it`];
  return [];
}

function givenUp({ conversationId, agentId, isGone, wasLive }: EndNotice): string[] {
  return isGone && wasLive
    ? [`the end of ${conversationId} was never told to ${agentId}, which had a live session`]
    : [];
}

function failedWithIt({ conversationId, agentId, failed, isTold, wasLive }: EndNotice): string[] {
  return failed > 0 && (isTold || wasLive)
    ? [
        `${failed} messages failed with the end of ${conversationId}, and ${agentId} ` +
          (isTold ? 'counts as told' : 'had a live session'),
      ]
    : [];
}
