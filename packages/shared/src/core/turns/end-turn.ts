import type { Database, Tx } from '../../platform/db/database.ts';
import { completeEvent } from '../memory/memory-store.ts';
import {
  endTurn,
  findDeadTurn,
  lockDeadTurn,
  lockEventOfTurn,
  type NewTurn,
  type TurnEnd,
} from './turn-queries.ts';

/** Ends a turn and writes its reply into the event, at once. False: it had ended already, or its event is deleted. */
export async function endTurnWith(tx: Tx, eventId: string, said: string, end: TurnEnd): Promise<boolean> {
  if (!(await lockEventOfTurn(tx.db, eventId))) return false;
  if (!(await endTurn(tx.db, eventId, end, await tx.now()))) return false;
  const assistantState = end.state === 'done' ? 'complete' : said === '' ? 'failed' : 'partial';
  return completeEvent(tx, eventId, { assistantText: said === '' ? null : said, assistantState });
}

type Which = { readonly eventId: string } | Pick<NewTurn, 'agentId' | 'clientId'>;

/** Ends a turn that has lost its process, with what it had said. False: there is none. */
export async function endDeadTurn(tx: Tx, which: Which): Promise<boolean> {
  const found = await findDeadTurn(tx.db, which, await tx.now());
  if (!found || !(await lockEventOfTurn(tx.db, found.eventId))) return false;
  // Its process may have renewed or ended it meanwhile.
  const dead = await lockDeadTurn(tx.db, found.eventId, await tx.now());
  if (!dead) return false;
  return endTurnWith(tx, dead.eventId, dead.said, {
    state: 'failed',
    errorCode: 'llm_stream_failed',
    usage: null,
    retrievalRunId: null,
  });
}

export function endDeadTurnOf(database: Database, eventId: string): Promise<boolean> {
  return database.transaction((tx) => endDeadTurn(tx, { eventId }));
}
