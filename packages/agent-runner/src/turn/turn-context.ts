import type { PendingMessages } from '@aizuchi/shared/contract/tools/chat-tools';
import type { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import type { SessionKeeper } from '../session/session-keeper.ts';
import type { Unreported } from '../session/unreported.ts';
import type { EarlyOutcomes } from './early-outcomes.ts';
import type { StreamHiding } from './hidden-stream.ts';
import type { Slots } from './slots.ts';
import type { TurnUsage } from './turn-usage.ts';

/** What all turns of a session share. */
export interface TurnContext extends StreamHiding {
  readonly client: ToolClient;
  readonly sessions: SessionKeeper;
  readonly unreported: Unreported;
  readonly earlyOutcomes: EarlyOutcomes;
  /** A session may have a limited number of open approvals. */
  readonly approvalSlots: Slots;
  readonly agentId: string;
  readonly agentName: string;
  readonly log: (sentence: string) => void;
  readonly interruptLimitMs: number;
  readonly overWaitMs: number;
}

/** A batch with something in it. */
export interface Batch extends PendingMessages {
  readonly source: NonNullable<PendingMessages['source']>;
  readonly batch_id: string;
}

/** How a turn's answer is handed in. */
export interface HandInOptions {
  /** The batch that the answer names: the newest one that holds all messages of the turn. */
  readonly answers: string;
  /** Another turn of this source waits for a person. The answer must not close that one's messages. */
  readonly isInterim: boolean;
}

export interface Answer {
  /** Empty: the messages are read and need no answer, or `failure` says why there is none. */
  readonly content: string;
  /** One sentence: why the turn came to no answer, and what the person can do. */
  readonly failure?: string | undefined;
  /** The id under which it was shown while it grew. */
  readonly messageId?: string | undefined;
  /** What it cost, where the driver has said so. */
  readonly cost?: TurnUsage | undefined;
}
