import type { Message } from '@aizuchi/shared/contract/chat';
import type { AnswerSteps } from '../steps/answer-steps.ts';

/**
 * What is known of one chat, merged from pages (REST), frames (socket), deltas and acknowledged messages, which
 * arrive in any order and more than once:
 *   T1 each message is in the list once, ordered by seq.
 *   T2 everything between the oldest page and `syncedId` is in the list; beyond it, where only frames add messages,
 *      there may be holes until the next catch-up, which therefore always starts at `syncedId`.
 *   T3 a page that was requested before a frame arrived does not undo what the frame said, also when the message was
 *      not loaded yet at that time.
 */
export interface Timeline {
  readonly messages: readonly Message[];
  readonly isLoaded: boolean;
  readonly hasOlder: boolean;
  /** The newest message that a page brought: up to here nothing is missing. */
  readonly syncedId: string | undefined;
  /** Answers that are being written. */
  readonly streaming: readonly StreamedAnswer[];
  /** By message id: the steps of answers that are being written, and of the last ones that this tab has seen. */
  readonly steps: Readonly<Record<string, AnswerSteps>>;
  /** By message id: the clientMessageId with which this tab sent it, so that its row stays the same element. */
  readonly sentAs: Readonly<Record<string, string>>;
  /** By message id: when this tab learned of each state, for the receipt. */
  readonly stateTimes: Readonly<Record<string, StateTimes>>;
  /** Counts the frames; a page carries the revision at which it was requested. */
  readonly revision: number;
  /** By message id: the revision of its latest frame. */
  readonly lastFrameRevision: Readonly<Record<string, number>>;
  /** By message id: the latest frame of messages that are older than the oldest loaded one. */
  readonly notLoaded: Readonly<Record<string, Message>>;
}

/** Epoch milliseconds by state. */
export type StateTimes = Readonly<Partial<Record<Message['state'], number>>>;

export interface StreamedAnswer {
  readonly messageId: string;
  /** Not 0 when its beginning was written before this tab listened. */
  readonly start: number;
  /** Empty while only steps are known. */
  readonly text: string;
  /** Epoch milliseconds of its first delta or step. */
  readonly since: number;
}
