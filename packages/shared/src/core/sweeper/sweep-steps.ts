import { goneViewers, waitingCloses } from '../chat/sweep-closed-chats.ts';
import { dueConversations } from '../conversations/sweep-due-conversations.ts';
import { tellSilentCoordinators } from '../coordinators/coordinator-alive.ts';
import { loseSilentCoordinators } from '../coordinators/coordinator-beat.ts';
import { dueFollowers, dueQuestions } from '../questions/sweep-due-questions.ts';
import { stalledSessions } from '../runs/sweep-stalled-sessions.ts';
import { unwatchedRuns } from '../runs/sweep-unwatched-runs.ts';
import { dueSchedules, unsaidSchedules } from '../schedules/sweep-due-schedules.ts';
import { endingSessions } from '../sessions/sweep-ending-sessions.ts';
import { idleSessions } from '../sessions/sweep-idle-sessions.ts';
import { abandonedRuns, silentSessions } from '../sessions/sweep-silent-sessions.ts';
import type { NewSweepStep } from '../sweep-step.ts';
import { makeRoom } from '../wake-ups/places.ts';
import { expiredPurposes, heldPurposes } from '../wake-ups/sweep-expired-wake-ups.ts';
import { missingWakeUps } from '../wake-ups/sweep-missing-wake-ups.ts';
import { prune } from './prune.ts';

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
