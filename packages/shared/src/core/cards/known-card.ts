import type { Tx } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import type { AgentCaller } from '../access/agent-caller.ts';
import { isSameWork } from '../rules/work-key.ts';
import type { CardKind } from './card-kind.ts';
import type { CardRecord } from './card-queries.ts';

/** What a call says of the card that it means. */
export interface CardCall<Card> {
  /** The id that the call names. */
  readonly id: string | null;
  /** The id that an earlier call of the session with its idempotency key was given: it stands, whatever this one asks. */
  readonly keptId: string | null;
  /** Of the request; null: only the state of a card is requested. */
  readonly fingerprint: string | null;
  /** Whether the same request, without the id of the card, means this card of its session. */
  readonly means: (card: Card) => Promise<boolean>;
}

/**
 * The card that this call means, now held by its session; null: there is none. Without an id the same request
 * means a card of its session, or one whose session has ended.
 */
export async function knownCard<Card extends CardRecord>(
  tx: Tx,
  kind: CardKind<Card>,
  caller: AgentCaller,
  { id, keptId, fingerprint, means }: CardCall<Card>,
): Promise<string | null> {
  const cards = kind.queries(tx.db);
  if (keptId !== null) return keptId;
  if (id !== null) {
    const card = await cards.lock(id);
    if (!card) return null;
    const isOurs = card.projectId === caller.projectId && card.agentId === caller.agentId;
    if (!isOurs || (fingerprint !== null && fingerprint !== card.fingerprint))
      throw new AppError(
        'invalid_input',
        'This tool_use_id stands for another request. Take a new one, or leave it out.',
      );
    if (card.sessionId !== caller.sessionId && !(await takeOver(tx, kind, card, caller)))
      throw kind.notFound('This card belongs to another session of yours.');
    return id;
  }
  if (fingerprint === null) return null;
  const same = await cards.lockSame(caller, fingerprint);
  for (const card of same)
    if (card.sessionId === caller.sessionId && (await means(card))) return card.toolUseId;
  for (const card of same) if (await takeOver(tx, kind, card, caller)) return card.toolUseId;
  return null;
}

/** A card of the same work whose session has ended is taken over by this one. */
async function takeOver<Card extends CardRecord>(
  tx: Tx,
  kind: CardKind<Card>,
  card: Card,
  caller: AgentCaller,
): Promise<boolean> {
  const { sessionId } = caller;
  if (!isSameWork(card, caller) || !(await kind.mayTakeOver(tx, card, sessionId))) return false;
  return (await kind.apply(tx, card, { type: 'claim', sessionId, isAsked: true }, await tx.now())) !== null;
}
