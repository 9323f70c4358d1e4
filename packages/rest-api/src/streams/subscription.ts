import type { ProjectFrame, ServerFrame } from '@aizuchi/shared/contract/ws';
import type { Person } from '@aizuchi/shared/core/access/person';
import type { SentCards } from './card-frames.ts';

/** The writing side of one socket, as the hub sees it. */
export interface FrameSink {
  readonly person: Person;
  readonly isOpen: boolean;
  /** Never waits; a socket whose client reads too slowly is closed. */
  send(text: string): void;
  /** Waits while many bytes are unread; for replays, which may be long. */
  sendUntilAccepted(text: string): Promise<void>;
  close(code: number, reason: string): void;
  /** The person may not see the project any more: ends the subscription and tells the client. */
  lose(subscription: Subscription): void;
}

/** Rights as read a moment ago; false for a person who was not in that read. */
export type MayHear = (projectId: string, personId: string) => boolean;

/** One project that one socket follows. */
export interface Subscription {
  readonly sink: FrameSink;
  readonly projectId: string;
  viewerId: string | undefined;
  /** The cursor from which on its socket has been sent everything; undefined until it is live, without one. */
  since: string | undefined;
  sentCards: SentCards;
  /** Replaced by a newer one of the same socket, unsubscribed, or lost, which was told: sends nothing more. */
  isOver: boolean;
  /** How often the right was checked for a request of its client. */
  checks: number;
}

export function isListening(subscription: Subscription): boolean {
  return !subscription.isOver && subscription.sink.isOpen;
}

export function toText(frame: ServerFrame | ProjectFrame): string {
  return JSON.stringify(frame);
}
