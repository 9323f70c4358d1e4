import type { Message } from '@aizuchi/shared/contract/chat';
import type { MessageSource } from '@aizuchi/shared/contract/tools/chat-tools';
import type { ToolName } from '@aizuchi/shared/contract/tools/tool-texts';
import type { ToolInput, ToolOutput } from '@aizuchi/shared/contract/tools/tools';

/** The tools of this session, as a driver sees them: calls that wait for the server when it is away. */
interface SessionTools {
  call<N extends ToolName>(name: N, args: ToolInput<N>): Promise<ToolOutput<N>>;
}

/** One batch of unread messages of one source, to be answered once. */
export interface Turn {
  readonly agentName: string;
  readonly source: MessageSource;
  readonly messages: readonly Message[];
  /** What came before, for understanding only. */
  readonly context: readonly Message[];
  readonly tools: SessionTools;
  /** Aborted when a person interrupts the answer or the session has to stop. */
  readonly signal: AbortSignal;
}

/**
 * How an answer is made. A driver that has it at once returns it whole (null: nothing to say); one that writes
 * it bit by bit yields the pieces, which are shown while they come.
 */
export interface Driver {
  answer(turn: Turn): Promise<string | null> | AsyncIterable<string>;
}
