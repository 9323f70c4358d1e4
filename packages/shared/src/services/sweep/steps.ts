import { tellSilentCoordinators } from '../coordinator-alive.ts';
import { loseSilentCoordinators } from '../coordinator-beat.ts';
import { makeRoom } from '../places.ts';
import { goneViewers, waitingCloses } from './closes.ts';
import { dueConversations } from './due-conversations.ts';
import { dueFollowers, dueQuestions } from './due-questions.ts';
import { dueSchedules, unsaidSchedules } from './due-schedules.ts';
import { endingSessions } from './ending-sessions.ts';
import { idleSessions } from './idle-sessions.ts';
import { missingWakeUps } from './missing-wake-ups.ts';
import { prune } from './prune.ts';
import { expiredPurposes, heldPurposes } from './purposes.ts';
import { abandonedRuns, silentSessions } from './silent-sessions.ts';
import { stalledSessions } from './stalled-sessions.ts';
import type { NewSweepStep } from './sweep-step.ts';
import { unwatchedRuns } from './unwatched-runs.ts';

/** What the sweeper does in a round, in this order. The names are those of its report, its metric and its log. */
export const SWEEP_STEPS = {
  idle: idleSessions,
  expired: expiredPurposes,
  held: heldPurposes,
  silent: silentSessions,
  abandoned: abandonedRuns,
  stalled: stalledSessions,
  ended: endingSessions,
  closed: goneViewers,
  settled: waitingCloses,
  evicted: () => {
    const asked: string[] = [];
    return (context, attempt) => makeRoom(context.deps, attempt, asked);
  },
  repaired: missingWakeUps,
  unwatched: unwatchedRuns,
  silentCoordinators: () => (context) => tellSilentCoordinators(context.deps),
  lostCoordinators: () => (context, attempt) => loseSilentCoordinators(context.deps, attempt),
  followers: dueFollowers,
  questions: dueQuestions,
  schedules: dueSchedules,
  schedulesOff: unsaidSchedules,
  conversations: dueConversations,
  pruned: prune,
} satisfies Record<string, NewSweepStep>;
