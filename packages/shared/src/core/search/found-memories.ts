import { setImmediate as othersFirst } from 'node:timers/promises';
import type { MemoryHit } from '../../contract/memory.ts';
import type { SearchItem } from '../../contract/search.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { messageOfRef } from '../memory/rules/message-ref.ts';
import { coverage, markedPart, marksIn, type SearchedTerms } from './rules/marks.ts';
import type { FoundHit } from './rules/merge-hits.ts';
import {
  type FoundEvent,
  foundEvents,
  foundStates,
  type SaidMessage,
  saidMessages,
} from './search-queries.ts';

export type ShownItem = Omit<SearchItem, 'score' | 'hitSources' | 'createdAt'>;

/** A hit, and what is shown of it. */
export interface ShownHit extends FoundHit {
  readonly item: ShownItem;
}

interface Known {
  readonly projectId: string;
  readonly terms: SearchedTerms;
  readonly events: ReadonlyMap<string, FoundEvent>;
  readonly states: ReadonlyMap<string, { readonly kind: NonNullable<ShownItem['memoryKind']> }>;
  readonly messages: ReadonlyMap<string, SaidMessage>;
}

/** Of a text this many UTF-16 units are shown. */
export const MAX_SHOWN_LENGTH = 1_000;
/** Of a text the shown part is looked for in so many characters. */
export const MAX_READ_LENGTH = 10 * MAX_SHOWN_LENGTH;
/** An event of these was made from a message, which its sourceRef names. */
const FROM_MESSAGES: ReadonlySet<string> = new Set(['chat', 'agent_conversation']);

/** What the memories of agents have found, each list in its order. What is not there any more is left out. */
export async function shownMemories(
  db: Queryable,
  { projectId, terms }: { readonly projectId: string; readonly terms: SearchedTerms },
  hitsOf: ReadonlyMap<string, readonly MemoryHit[]>,
): Promise<ShownHit[][]> {
  const hits = [...hitsOf.values()].flat();
  const eventIds = hits.flatMap(({ type, id, sourceEvents }) => (type === 'event' ? [id] : sourceEvents));
  const stateIds = hits.filter(({ type }) => type === 'state').map(({ id }) => id);
  const [events, states] = await Promise.all([
    foundEvents(db, projectId, eventIds, MAX_READ_LENGTH),
    foundStates(db, projectId, stateIds),
  ]);
  const messages = await saidMessages(db, projectId, events.flatMap(messageIdOf));
  const known: Known = {
    projectId,
    terms,
    events: new Map(events.map((event) => [event.id, event])),
    states: new Map(states.map((state) => [state.id, state])),
    messages: new Map(messages.map((message) => [message.id, message])),
  };
  const lists: ShownHit[][] = [];
  for (const [agentId, list] of hitsOf) lists.push(await shownOfAgent(known, agentId, list));
  return lists;
}

async function shownOfAgent(known: Known, agentId: string, list: readonly MemoryHit[]): Promise<ShownHit[]> {
  const inStates = new Set(
    list
      .filter(({ type }) => type === 'state')
      .flatMap((state) => state.sourceEvents.map((id) => `${id}/${state.text}`)),
  );
  const hits: ShownHit[] = [];
  for (const hit of list) {
    // A long text takes milliseconds, and there are many.
    await othersFirst();
    const shown = hit.type === 'state' ? shownState(known, agentId, hit) : shownEvent(known, agentId, hit);
    if (shown !== null && !inStates.has(`${hit.id}/${shown.item.text}`)) hits.push(shown);
  }
  return hits;
}

function messageIdOf({ source, sourceRef }: FoundEvent): string[] {
  const id = FROM_MESSAGES.has(source) && sourceRef !== null ? messageOfRef(sourceRef) : undefined;
  return id === undefined ? [] : [id];
}

function messageOf({ messages, events }: Known, eventIds: readonly string[]): SaidMessage | undefined {
  for (const id of eventIds) {
    const event = events.get(id);
    const message = event && messages.get(messageIdOf(event)[0] ?? '');
    if (message) return message;
  }
  return undefined;
}

function shownState(known: Known, agentId: string, hit: MemoryHit): ShownHit | null {
  const state = known.states.get(hit.id);
  if (state === undefined) return null;
  const message = messageOf(known, hit.sourceEvents);
  const actor = hit.sourceEvents
    .map((id) => known.events.get(id)?.actor ?? null)
    .find((name) => name !== null);
  return {
    ...hitOf(known, hit.id, hit, hit.text),
    item: {
      kind: 'memory',
      id: hit.id,
      agentId,
      memoryKind: state.kind,
      title: '',
      titleMarks: [],
      ...part(known.terms, hit.text),
      ...(actor !== undefined && { saidBy: actor }),
      ...(message && placeOf(message)),
    },
  };
}

function shownEvent(known: Known, agentId: string, hit: MemoryHit): ShownHit | null {
  const event = known.events.get(hit.id);
  if (event === undefined) return null;
  const message = messageOf(known, [hit.id]);
  const { text, by } = bestPart(known.terms, event);
  // An answer is the agent's, whoever wrote the message that it belongs to.
  const saidBy = by === undefined ? undefined : (by ?? message?.senderName);
  const shared = {
    agentId: message?.conversationId === null ? message.agentId : agentId,
    ...part(known.terms, text),
    ...(saidBy !== undefined && saidBy !== null && { saidBy }),
    ...(message && placeOf(message)),
  };
  if (message === undefined)
    return {
      ...hitOf(known, hit.id, hit, hit.text),
      item: { kind: 'memory', id: hit.id, memoryKind: 'event', title: '', titleMarks: [], ...shared },
    };
  if (message.conversationId === null)
    return {
      ...hitOf(known, message.id, hit, hit.text),
      item: { kind: 'chat', id: message.id, title: '', titleMarks: [], ...shared },
    };
  const title = message.purpose ?? '';
  return {
    ...hitOf(known, message.conversationId, hit, `${title}\n${hit.text}`),
    item: {
      kind: 'conversation',
      id: message.conversationId,
      title,
      titleMarks: marksIn(known.terms, title),
      sides: message.sides ?? [],
      messageCount: message.messageCount ?? 0,
      ...shared,
    },
  };
}

function hitOf({ terms }: Known, key: string, { createdAt, hitSources }: MemoryHit, text: string): FoundHit {
  return { key, coverage: coverage(terms, text), createdAt: new Date(createdAt), hitSources };
}

/** Of what was said and answered the one that fits the query better. */
function bestPart(terms: SearchedTerms, event: FoundEvent): { text: string; by: string | null | undefined } {
  const { userText, assistantText, caption, actor } = event;
  const asked = [userText, caption].filter((text) => text !== null && text !== '').join('\n');
  const answered = assistantText ?? '';
  const isAnswer = asked === '' || coverage(terms, answered) > coverage(terms, asked);
  // The actor is who spoke first.
  return isAnswer && asked !== ''
    ? { text: answered, by: undefined }
    : { text: asked || answered, by: actor };
}

function part(terms: SearchedTerms, text: string): Pick<SearchItem, 'text' | 'marks'> {
  const { text: shown, marks } = markedPart(terms, text, MAX_SHOWN_LENGTH);
  return { text: shown, marks: [...marks] };
}

function placeOf({ id, conversationId }: SaidMessage): Pick<SearchItem, 'messageId' | 'conversationId'> {
  return { messageId: id, ...(conversationId !== null && { conversationId }) };
}
