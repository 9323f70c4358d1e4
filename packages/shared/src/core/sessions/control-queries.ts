import { z } from 'zod';
import type { Queryable } from '../../platform/db/database.ts';
import { CONTROLS, type Control, type ControlView } from './rules/turn-control.ts';
import { sessionStateSchema, toEnd } from './session-record.ts';

const controlSchema = z.enum(CONTROLS).nullable();

/** The columns of a session from which the control of its turn follows. */
export interface ControlRow {
  state: string;
  exitAction: string | null;
  exitReason: string | null;
  control: string | null;
  controlOffered: string | null;
  controlAcknowledged: string | null;
}

export function toControlView(row: ControlRow): ControlView {
  return {
    state: sessionStateSchema.parse(row.state),
    end: toEnd(row.exitAction, row.exitReason),
    control: controlSchema.parse(row.control),
    offered: controlSchema.parse(row.controlOffered),
    acknowledged: controlSchema.parse(row.controlAcknowledged),
  };
}

export async function findControls(
  db: Queryable,
  ids: readonly string[],
): Promise<(ControlView & { id: string })[]> {
  const rows = await db
    .selectFrom('agentSessions')
    .select(['id', 'state', 'exitAction', 'exitReason', 'control', 'controlOffered', 'controlAcknowledged'])
    .where('id', 'in', ids)
    .execute();
  return rows.map((row) => ({ id: row.id, ...toControlView(row) }));
}

export async function setControlOffered(db: Queryable, id: string, control: Control): Promise<void> {
  await db.updateTable('agentSessions').set({ controlOffered: control }).where('id', '=', id).execute();
}

export async function setControlAcknowledged(db: Queryable, id: string, control: Control): Promise<void> {
  await db.updateTable('agentSessions').set({ controlAcknowledged: control }).where('id', '=', id).execute();
}
