import type { MemorySource, StateKind } from '../../contract/memory.ts';
import { keys } from '../../platform/change-log/keys.ts';
import type { Tx } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import { putStateDocument, updateEventDocument } from './document-queries.ts';
import {
  type DocumentedEvent,
  type EventRow,
  type EventTexts,
  insertEvents,
  linkReplies,
  updateReply,
} from './event-queries.ts';
import { type IndexedDocument, indexDocument } from './rules/index-terms.ts';
import { insertRevision, insertState, type NewRevision, type StateRow } from './state-queries.ts';

export interface NewEvent {
  readonly id?: string | undefined;
  /** null: general, seen from every project of the agent. */
  readonly projectId: string | null;
  readonly clientId: string;
  readonly threadId: string;
  readonly source: MemorySource;
  readonly sourceRef?: string | undefined;
  readonly actor?: string | undefined;
  readonly userText?: string | undefined;
  readonly assistantText?: string | undefined;
  readonly caption?: string | undefined;
  readonly assistantState: EventRow['assistantState'];
  readonly createdAt: Date;
}

export interface NewState {
  readonly projectId: string | null;
  readonly kind: StateKind;
  readonly bodyText: string;
  readonly payload?: Readonly<Record<string, unknown>> | undefined;
  readonly confidence?: number | undefined;
  readonly validFrom?: Date | undefined;
  readonly validTo?: Date | undefined;
  /** Since when it is known; also its last confirmation, unless that is given. */
  readonly at: Date;
  readonly lastConfirmedAt?: Date | undefined;
  /** Ids of the events that it was made from, the oldest first. */
  readonly evidence: readonly string[];
  readonly reason: string;
  readonly madeBy: NewRevision['madeBy'];
}

/**
 * Stores events and what they are found by, in the caller's transaction: everything that feeds a memory ends here. An
 * event whose sourceRef is known in its project and from its source is left out. A chat event is linked to the previous
 * one of its client.
 */
export async function storeEvents(
  tx: Tx,
  agentId: string,
  events: readonly NewEvent[],
): Promise<{ stored: string[] }> {
  return storeDocumented(
    tx,
    events.map((event) => documented(agentId, event)),
  );
}

/** The same for events whose terms were found before the transaction. */
export async function storeDocumented(
  tx: Tx,
  items: readonly DocumentedEvent[],
): Promise<{ stored: string[] }> {
  if (items.length === 0) return { stored: [] };
  const stored = await insertEvents(tx.db, items);
  const isStored = ({ event }: DocumentedEvent) => stored.has(event.id);
  for (const { event } of items) if (stored.has(event.id)) tx.dirty(keys.memory(event.agentId));
  const chats = items.filter((item) => isStored(item) && item.event.source === 'chat');
  if (chats.length > 0)
    await linkReplies(
      tx.db,
      chats.map(({ event }) => event.id),
    );
  return { stored: items.filter(isStored).map(({ event }) => event.id) };
}

/**
 * Writes the reply of a turn, and the document of its event anew. False: the event was deleted meanwhile, and nothing
 * was written.
 */
export async function completeEvent(
  tx: Tx,
  eventId: string,
  reply: { readonly assistantText: string | null; readonly assistantState: EventRow['assistantState'] },
): Promise<boolean> {
  const event = await updateReply(tx.db, eventId, reply);
  if (!event) return false;
  await updateEventDocument(tx.db, eventId, documentOfEvent(event));
  tx.dirty(keys.memory(event.agentId));
  return true;
}

/** Stores a state with its first revision and its document. Returns its id. */
export async function storeState(tx: Tx, agentId: string, state: NewState): Promise<string> {
  const { payload = {}, confidence = 1, validFrom = null, validTo = null, at } = state;
  const { projectId, kind, bodyText, evidence, reason, madeBy, lastConfirmedAt = at } = state;
  const known = { bodyText, payload, confidence, validFrom, validTo, lastConfirmedAt };
  const id = newId('sta');
  await insertState(tx.db, {
    id,
    agentId,
    projectId,
    kind,
    ...known,
    evidence,
    createdAt: at,
    updatedAt: at,
  });
  await insertRevision(tx.db, {
    stateId: id,
    at,
    op: 'upsert',
    before: null,
    after: known,
    reason,
    evidence,
    madeBy,
  });
  await indexState(tx, { id, agentId, projectId, bodyText, updatedAt: at });
  return id;
}

/** What a state says now is known since its last change: a look at an earlier time must not find it. */
export async function indexState(
  tx: Tx,
  {
    id,
    agentId,
    projectId,
    bodyText,
    updatedAt,
  }: Pick<StateRow, 'id' | 'agentId' | 'projectId' | 'bodyText' | 'updatedAt'>,
): Promise<void> {
  await putStateDocument(
    tx.db,
    { stateId: id, agentId, projectId, createdAt: updatedAt },
    indexDocument({ agentId, createdAt: updatedAt, texts: [bodyText] }),
  );
}

/** With an id, and with what it is found by: the costly part, which needs no transaction. */
export function documented(agentId: string, { id = newId('evt'), ...given }: NewEvent): DocumentedEvent {
  const event: EventRow = {
    ...given,
    id,
    agentId,
    sourceRef: given.sourceRef ?? null,
    actor: given.actor ?? null,
    userText: given.userText ?? null,
    assistantText: given.assistantText ?? null,
    caption: given.caption ?? null,
  };
  return { event, document: documentOfEvent(event) };
}

function documentOfEvent({ agentId, createdAt, ...event }: EventTexts): IndexedDocument {
  const { actor, userText, assistantText, caption } = event;
  const texts = [userText, assistantText, caption].filter((text) => text !== null);
  return indexDocument({ agentId, createdAt, actor: actor ?? undefined, texts });
}
