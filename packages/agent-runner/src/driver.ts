import type { Message } from '@aizuchi/shared/contract/chat';
import type { QuestionItem } from '@aizuchi/shared/contract/question';
import type { MessageSource } from '@aizuchi/shared/contract/tools/chat-tools';
import type { ToolName } from '@aizuchi/shared/contract/tools/tool-texts';
import type { ToolInput, ToolOutput } from '@aizuchi/shared/contract/tools/tools';

/** The tools of this session, as a driver sees them: calls that wait for the server when it is away. */
export interface SessionTools {
  call<N extends ToolName>(name: N, args: ToolInput<N>): Promise<ToolOutput<N>>;
}

/** What came of a question card. */
export interface QuestionOutcome {
  readonly status: 'answered' | 'timeout' | 'cancelled' | 'unavailable';
  /** The chosen labels, or the free text, by the text of the question. */
  readonly answers: Readonly<Record<string, string>>;
}

/** Who the agent is, and what it can call. */
export interface AgentView {
  readonly agentId: string;
  readonly agentName: string;
  readonly tools: SessionTools;
}

/** One batch of unread messages of one source, to be answered once. */
export interface Turn extends AgentView {
  readonly source: MessageSource;
  readonly messages: readonly Message[];
  /** What came before, for understanding only. */
  readonly context: readonly Message[];
  /** Present when this turn has asked before: what the person said. */
  readonly asked?: QuestionOutcome;
  /** Aborted when a person interrupts the answer or the session has to stop. */
  readonly signal: AbortSignal;
}

/** The person is asked first: the turn comes again, with what came of it. */
export interface Ask {
  readonly kind: 'ask';
  readonly questions: readonly QuestionItem[];
}

/** The conversation is over with this turn. */
export interface Close {
  readonly kind: 'close';
  readonly finalMessage: string;
  /** For the person in the agent's chat. */
  readonly report?: string;
}

/** null: nothing to say. */
export type Reply = string | null | Ask | Close;

/** A conversation that ended, or never began, without this side's doing. */
export interface ConversationOver {
  readonly id: string;
  /** An end reason of the conversation, or `expired`: the other side never came. */
  readonly why: string;
  /** The last messages of the other side, which need no answer any more. */
  readonly unread: readonly Message[];
}

/**
 * How an answer is made. A driver that has it at once returns it whole; one that writes it bit by bit yields the
 * pieces, which are shown while they come.
 */
export interface Driver {
  answer(turn: Turn): Promise<Reply> | AsyncIterable<string>;
  /** What the person in the chat should hear of it; null: nothing. */
  conversationOver?(over: ConversationOver, agent: AgentView): Promise<string | null>;
}
