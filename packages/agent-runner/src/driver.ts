import type { Message } from '@aizuchi/shared/contract/chat';
import type { QuestionItem } from '@aizuchi/shared/contract/question';
import type { MessageSource } from '@aizuchi/shared/contract/tools/chat-tools';
import type { DeliveredPack } from '@aizuchi/shared/contract/tools/memory-tools';
import type { MyTask } from '@aizuchi/shared/contract/tools/task-tools';
import type { ToolName } from '@aizuchi/shared/contract/tools/tool-texts';
import type { ToolInput, ToolOutput } from '@aizuchi/shared/contract/tools/tools';
import type { ApprovalKind } from '@aizuchi/shared/core/approvals/rules/approval-states';
import type { FoundModel } from './session/report-models.ts';
import type { TurnEvent, Usage } from './turn-events.ts';

/** How agents of one provider work: the built-in one, a program, a model. docs/design/drivers.md */
export interface Driver {
  /**
   * Opens the session of the agent, as soon as the runner is signed in. When it rejects, the turn that needs the session
   * fails, and the next turn opens it again.
   */
  open(options: SessionOptions): Promise<DriverSession>;
}

/** The tools of the runner's session. A call waits for the server when it cannot be reached. */
interface SessionTools {
  call<N extends ToolName>(name: N, args: ToolInput<N>): Promise<ToolOutput<N>>;
}

export interface AgentView {
  readonly agentId: string;
  readonly agentName: string;
  readonly tools: SessionTools;
}

export interface SessionOptions extends AgentView {
  readonly systemPrompt?: string;
  /** Our MCP server, for a program that connects to it itself. The token is a secret. */
  readonly mcp: { readonly url: string; readonly token: string };
  /**
   * What an earlier session of this agent gave to `remember`, to go on where it stood. The driver opens a new session
   * when that one cannot be continued.
   */
  readonly resume?: string;
  /** One line for the log of the run. */
  readonly log: (sentence: string) => void;
  /**
   * Makes the secrets of the run unreadable in a text. For what a driver writes to people by itself: what it reports of
   * a turn is not shown without it.
   */
  readonly hide: (text: string) => string;
  /** Stores a resume token in place of the one before. Resolves when it will be found after a crash. */
  remember(resumeToken: string): Promise<void>;
  /** What a model has cost outside of a turn. Never rejects. */
  reportUsage(usage: Usage): Promise<void>;
  /** Which models there are to choose from, as the program says it without a call of a model. Waits for nothing. */
  reportModels(models: readonly FoundModel[]): void;
}

export interface DriverSession {
  /** Whether another turn may be given while one waits for a person. */
  readonly concurrentTurns: boolean;
  /**
   * Works on one batch of messages. After `turn.signal` is aborted the stream ends soon, with reason `interrupted`. When
   * it throws, or ends without an `end` event, the session cannot be used any more: the runner closes it and opens
   * another one for the next turn. A failure after which the session can be used is the end reason `failed`.
   */
  run(turn: Turn): AsyncIterable<TurnEvent>;
  /**
   * A conversation that ended, or never began, without an act of this agent. Resolves when the person has been told, where
   * it is told: before that the session does not end, for some seconds. Turns are given meanwhile.
   */
  conversationOver?(over: ConversationOver): Promise<void>;
  /** Ends what the session has started. The runner waits a few seconds for it. */
  close(): Promise<void>;
}

/** One batch of unread messages of one source, to be answered once. Its tool calls end with its signal. */
export interface Turn extends AgentView {
  readonly source: MessageSource;
  /** One that is marked `redelivered` may have been worked on by an earlier session. */
  readonly messages: readonly Message[];
  /** The pictures among their files, for a model that sees. Never rejects. Absent: there are none. */
  readonly pictures?: (() => Promise<readonly Picture[]>) | undefined;
  /** The messages before them, for understanding only. */
  readonly context: readonly Message[];
  /** What memory holds about the messages; absent: nothing, or it was away. */
  readonly memory?: DeliveredPack | undefined;
  /**
   * The turn works on this task, as its one message says to a model. Nobody answers it in the chat: what comes of it is
   * reported with `report_completed`.
   */
  readonly task?: MyTask | undefined;
  /** Aborted when a person interrupts the answer or the session has to stop. */
  readonly signal: AbortSignal;
  /** Shows a card with questions to the person. Never rejects because of the person or the signal. */
  ask(questions: readonly QuestionItem[]): Promise<QuestionOutcome>;
  /**
   * Asks the person for a permission; several may be asked for at once. Everything but `allow_once` and `allow_session`
   * is a refusal. `allow_session`: the driver does not ask again for the like in this session. Never rejects because of
   * the person or the signal.
   */
  approve(request: ApprovalRequest): Promise<ApprovalOutcome>;
}

/** A png, jpeg or webp that stands with a message. */
export interface Picture {
  readonly messageId: string;
  readonly name: string;
  readonly mediaType: string;
  /** In base64. */
  readonly data: string;
}

export interface QuestionOutcome {
  /** `unavailable`: no person is there. `refused`: the server took the questions for wrong, or too many. */
  readonly status: 'answered' | 'timeout' | 'cancelled' | 'unavailable' | 'refused';
  /** The chosen labels, or the free text, by the text of the question. */
  readonly answers: Readonly<Record<string, string>>;
  /** Of a refusal: for the model, which can ask in another way. */
  readonly reason?: string;
}

export interface ApprovalRequest {
  /** Longer than 100 characters: it is cut. */
  readonly tool: string;
  /** One sentence that a person can judge. Longer than 500 characters: it is cut. */
  readonly summary: string;
  /** As the tool will be given it: any JSON. */
  readonly input: unknown;
  /** `edit` only when it changes files inside the working directory and nothing else. Default: `other`. */
  readonly kind?: ApprovalKind;
  /** What `allow_session` would allow, for the person. Longer than 200 characters: it is cut. */
  readonly sessionScope?: string;
}

export interface ApprovalOutcome {
  readonly decision: 'allow_once' | 'allow_session' | 'deny' | 'timeout' | 'cancelled' | 'unavailable';
  /** What the person wrote to a refusal. */
  readonly note?: string;
}

export interface ConversationOver {
  readonly id: string;
  /** An end reason of the conversation, or `expired`: the other side never joined. */
  readonly reason: string;
  /** The last messages of the other side. They need no answer. */
  readonly unread: readonly Message[];
}
