import type { DecideApprovalBody } from '@aizuchi/shared/contract/approval';
import { Store } from '../../lib/store.ts';

type Decision = DecideApprovalBody['decision'];

/** The note of a refusal while it is written. */
export interface Refusal {
  readonly isOpen: boolean;
  readonly note: string;
}

const CLOSED: Refusal = { isOpen: false, note: '' };
const stores = new Map<string, Store<Refusal>>();
const refused = new Map<string, Decision>();

/** Chat and inbox share it, and it is kept while the card is scrolled out of the document. */
export function refusalStore(id: string): Store<Refusal> {
  const store = stores.get(id) ?? new Store(CLOSED);
  stores.set(id, store);
  return store;
}

export function forgetRefusal(id: string): void {
  stores.delete(id);
}

/** The server has refused this decision of this tab: there was one already. */
export function noteRefused(id: string, decision: Decision): void {
  refused.set(id, decision);
}

export function refusedDecision(id: string): Decision | undefined {
  return refused.get(id);
}
