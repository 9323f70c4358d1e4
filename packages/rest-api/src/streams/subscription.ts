import type { ProjectFrame, ServerFrame } from '@aizuchi/shared/contract/ws';
import type { Person } from '@aizuchi/shared/core/access/person';
import type { HeardQuestions } from './question-frames.ts';

/** The writing end of one socket, as the hub sees it. */
export interface FrameSink {
  readonly person: Person;
  readonly isOpen: boolean;
  /** Never waits; a reader that is far behind is closed. */
  send(text: string): void;
  /** Waits while much is unread: for replays, which may be long. */
  sendUntilAccepted(text: string): Promise<void>;
  close(code: number, reason: string): void;
  /** Its person may not see the project any more: the subscription ends, and the client is told. */
  lose(subscription: Subscription): void;
}

/** What the database said a moment ago; false for whoever was not asked about. */
export type MayHear = (projectId: string, personId: string) => boolean;

/** One project, followed by one socket. */
export interface Subscription {
  readonly sink: FrameSink;
  readonly projectId: string;
  readonly viewerId: string | undefined;
  readonly heardQuestions: HeardQuestions;
  /** Replaced by a newer one of the same socket, or unsubscribed: says nothing more. */
  isOver: boolean;
}

export function isListening(subscription: Subscription): boolean {
  return !subscription.isOver && subscription.sink.isOpen;
}

export function toText(frame: ServerFrame | ProjectFrame): string {
  return JSON.stringify(frame);
}
