import type { SessionState } from '../../sessions/rules/session-machine.ts';
import { isLive } from '../../sessions/rules/session-machine.ts';
import { type HeldFor, isExpired, type PurposeSnapshot } from './wake-up-machine.ts';

/** What get_agent_action knows about one (agent, project) when it decides; all of it read under the row's lock. */
export interface AgentActionView {
  readonly assigned: boolean;
  readonly projectStatus: 'active' | 'paused' | 'archived';
  readonly row: PurposeSnapshot | null;
  readonly session: { readonly state: SessionState; readonly toldAt: Date | null } | null;
  readonly hasFreePlace: boolean;
  readonly hasInProgressTask: boolean;
  readonly hasBlockedTask: boolean;
}

export type HoldReason =
  | 'agent_not_assigned'
  | 'already_running'
  | 'spawn_in_progress'
  | 'session_ending'
  | 'no_pending_work'
  | 'project_paused'
  | 'blocked_without_in_progress'
  | 'cooling_down'
  | 'capacity';

export type AgentActionDecision =
  | { readonly action: 'start'; readonly reason: 'has_pending_purpose' }
  | { readonly action: 'hold'; readonly reason: HoldReason; readonly heldFor?: HeldFor }
  /** The row is past its TTL: it must be expired first, then asked again. */
  | { readonly action: 'expire' };

const hold = (reason: HoldReason): AgentActionDecision => ({ action: 'hold', reason });
/** Held for something that is not the waiting person's fault: the TTL rests meanwhile. */
const rest = (heldFor: HeldFor, reason: HoldReason = heldFor): AgentActionDecision => ({
  action: 'hold',
  reason,
  heldFor,
});

/** Chat before task; a paused project or a blocked task never blocks the chat (trap 11). */
export function decideAgentAction(view: AgentActionView, now: Date, ttlMs: number): AgentActionDecision {
  if (!view.assigned || view.projectStatus === 'archived') return hold('agent_not_assigned');
  if (view.session !== null && isLive(view.session))
    return isEnding(view) ? rest('session_ending', 'already_running') : hold('already_running');
  const row = view.row;
  if (row === null) return hold(withoutRow(view));
  if (view.session !== null && view.session.state === 'terminating') return rest('session_ending');
  if (isExpired(row, now, ttlMs)) return { action: 'expire' };
  if (row.startedAt !== null) return hold('spawn_in_progress');
  if (row.notBefore !== null && row.notBefore > now) return rest('cooling_down');
  if (!view.hasFreePlace) return rest('capacity');
  return { action: 'start', reason: 'has_pending_purpose' };
}

/** A row that waits for a session which nobody has told of its end yet. */
function isEnding({ session, row }: AgentActionView): boolean {
  return row !== null && session?.state === 'terminating';
}

function withoutRow(view: AgentActionView): HoldReason {
  if (view.hasInProgressTask && view.projectStatus === 'paused') return 'project_paused';
  if (!view.hasInProgressTask && view.hasBlockedTask) return 'blocked_without_in_progress';
  return 'no_pending_work';
}
