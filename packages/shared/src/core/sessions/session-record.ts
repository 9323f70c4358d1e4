import { z } from 'zod';
import { PURPOSES, type WorkKey } from '../rules/work-key.ts';
import {
  EXIT_REASONS,
  LOGOUT_REASONS,
  SESSION_STATES,
  type SessionEnd,
  type SessionSnapshot,
} from './rules/session-machine.ts';

/** A session as the rules see it, with the other columns that its callers need. */
export interface SessionRecord extends SessionSnapshot, WorkKey {
  readonly id: string;
  readonly runId: string | null;
  readonly openedBy: string | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  readonly phase: string | null;
  readonly offeredAt: Date | null;
  /** Since then it may only learn its end and leave. */
  readonly revokedAt: Date | null;
  /** It works in the folder of its project, one at a time with others. */
  readonly sharesFolder: boolean;
  /** The agent for which its waiting messages wait until that has done its work in the folder. */
  readonly folderWaitFor: string | null;
}

interface SessionRow {
  id: string;
  agentId: string;
  projectId: string;
  purpose: string;
  taskId: string;
  state: string;
  runId: string | null;
  openedBy: string | null;
  createdAt: Date;
  lastActivityAt: Date;
  closeRequestedAt: Date | null;
  terminatingAt: Date | null;
  exitAction: string | null;
  exitReason: string | null;
  exitOfferedAt: Date | null;
  exitAcknowledgedAt: Date | null;
  endedAt: Date | null;
  revokedAt: Date | null;
  phase: string | null;
  sharesFolder: boolean;
  folderWaitFor: string | null;
}

const purposeSchema = z.enum(PURPOSES);
export const sessionStateSchema = z.enum(SESSION_STATES);
const reasonSchema = z.enum(EXIT_REASONS);
const logoutReasonSchema = z.enum(LOGOUT_REASONS);

/** The end of a session, from its two columns. */
export function toEnd(action: string | null, reason: string | null): SessionEnd | null {
  if (action === null) return null;
  return action === 'logout'
    ? { action: 'logout', reason: logoutReasonSchema.parse(reason) }
    : { action: 'exit', reason: reasonSchema.parse(reason) };
}

export function toSession(row: SessionRow): SessionRecord {
  return {
    id: row.id,
    agentId: row.agentId,
    projectId: row.projectId,
    purpose: purposeSchema.parse(row.purpose),
    taskId: row.taskId,
    state: sessionStateSchema.parse(row.state),
    runId: row.runId,
    openedBy: row.openedBy,
    createdAt: row.createdAt,
    lastActivityAt: row.lastActivityAt,
    closeRequestedAt: row.closeRequestedAt,
    terminatingAt: row.terminatingAt,
    end: toEnd(row.exitAction, row.exitReason),
    offeredAt: row.exitOfferedAt,
    acknowledgedAt: row.exitAcknowledgedAt,
    endedAt: row.endedAt,
    revokedAt: row.revokedAt,
    phase: row.phase,
    sharesFolder: row.sharesFolder,
    folderWaitFor: row.folderWaitFor,
  };
}

export const SESSION_COLUMNS = [
  's.id',
  's.agentId',
  's.projectId',
  's.purpose',
  's.taskId',
  's.state',
  's.runId',
  's.openedBy',
  's.createdAt',
  's.lastActivityAt',
  's.closeRequestedAt',
  's.terminatingAt',
  's.exitAction',
  's.exitReason',
  's.exitOfferedAt',
  's.exitAcknowledgedAt',
  's.endedAt',
  's.revokedAt',
  's.phase',
  's.sharesFolder',
  's.folderWaitFor',
] as const;
