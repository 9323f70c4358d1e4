import type { MemoryEvent, MemoryState, RevisionPage } from '../../contract/memory.ts';
import type { EventRow } from './event-queries.ts';
import type { StateRow } from './state-queries.ts';

export function eventView(event: EventRow): MemoryEvent {
  const { id, createdAt, clientId, source, sourceRef, actor, userText, assistantText, caption } = event;
  return {
    id,
    createdAt: createdAt.toISOString(),
    clientId,
    source,
    ...(sourceRef !== null && { sourceRef }),
    ...(actor !== null && { actor }),
    ...(userText !== null && { userText }),
    ...(assistantText !== null && { assistantText }),
    ...(caption !== null && { caption }),
    assistantState: event.assistantState,
    ...(event.projectId !== null && { projectId: event.projectId }),
  };
}

export function stateView(state: StateRow): MemoryState {
  const { id, kind, bodyText, payload, confidence, validFrom, validTo, evidence, projectId } = state;
  return {
    id,
    kind,
    bodyText,
    payload,
    confidence,
    validFrom: validFrom?.toISOString() ?? null,
    validTo: validTo?.toISOString() ?? null,
    lastConfirmedAt: state.lastConfirmedAt.toISOString(),
    ...(projectId !== null && { projectId }),
    evidence: [...evidence],
    updatedAt: state.updatedAt.toISOString(),
  };
}

export type Revision = RevisionPage['revisions'][number];

export function revisionView({
  id,
  at,
  ...revision
}: Omit<Revision, 'id' | 'at'> & { readonly id: number; readonly at: Date }): Revision {
  return { ...revision, id: String(id), at: at.toISOString() };
}
