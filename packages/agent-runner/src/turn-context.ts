import type { Message } from '@aizuchi/shared/contract/chat';
import type { PendingMessages } from '@aizuchi/shared/contract/tools/chat-tools';
import type { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import type { Driver, QuestionOutcome, Reply } from './driver.ts';

export interface TurnContext {
  readonly client: ToolClient;
  readonly driver: Driver;
  readonly agentId: string;
  readonly agentName: string;
  readonly log: (sentence: string) => void;
  readonly firstBeatAfterMs?: number;
}

/** A batch with something in it. */
export interface Batch extends PendingMessages {
  readonly source: NonNullable<PendingMessages['source']>;
  readonly batch_id: string;
}

export interface TurnOptions {
  /** What came of the questions that this turn has asked. */
  readonly asked?: QuestionOutcome;
  /** Another turn of this source waits for a person: these are new, and what is said now must not answer that one too. */
  readonly interim?: readonly Message[];
  /** The batch that the answer names: what came of the source while a person was asked is in it, too. */
  readonly answers?: string;
}

export interface Said {
  readonly reply: Reply;
  /** Under which it was shown while it was written. */
  readonly messageId?: string;
}
