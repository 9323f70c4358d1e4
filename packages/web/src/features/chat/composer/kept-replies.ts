import { tabStorage } from '../../../lib/tab-storage.ts';
import type { Draft } from '../../questions/draft.ts';
import { readDraft, replyKeyOf } from '../../questions/draft-store.ts';

/** A text that was written in the composer as the answer to one question of a card. */
export interface Reply {
  readonly text: string;
  readonly question: number;
  /** What was chosen in the card before it. */
  readonly before: Draft;
}

interface Kept {
  readonly replies: readonly Reply[];
  readonly after: Draft;
}

/** Until the card has all its answers, or is over: a reload, or another chat meanwhile, loses none of them. */
export function keepReplies(toolUseId: string, { replies, after }: Kept): void {
  tabStorage.set(replyKeyOf(toolUseId), JSON.stringify({ replies, after }));
}

export function forgetReplies(toolUseId: string): void {
  tabStorage.remove(replyKeyOf(toolUseId));
}

/** Undefined: there are none. */
export function keptReplies(toolUseId: string): Kept | undefined {
  return readReplies(tabStorage.get(replyKeyOf(toolUseId)));
}

/** A text of an unexpected shape holds none. */
export function readReplies(text: string | undefined): Kept | undefined {
  if (text === undefined) return undefined;
  try {
    const { replies, after } = JSON.parse(text) as Partial<Kept>;
    if (!Array.isArray(replies) || replies.length === 0 || !replies.every(isReply)) return undefined;
    return {
      replies: replies.map((reply) => ({ ...reply, before: asDraft(reply.before) })),
      after: asDraft(after),
    };
  } catch {
    return undefined;
  }
}

const asDraft = (value: unknown): Draft => readDraft(JSON.stringify(value));

function isReply(value: unknown): value is Reply {
  if (typeof value !== 'object' || value === null) return false;
  const { text, question } = value as Partial<Reply>;
  return typeof text === 'string' && Number.isSafeInteger(question);
}
