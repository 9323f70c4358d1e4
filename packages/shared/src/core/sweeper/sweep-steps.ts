import { dueApprovals } from '../approvals/sweep-due-approvals.ts';
import { goneViewers, waitingCloses } from '../chat/sweep-closed-chats.ts';
import { dueConversations } from '../conversations/sweep-due-conversations.ts';
import { noteSilentCoordinators, SILENT_DEADLINES } from '../coordinators/coordinator-alive.ts';
import { loseSilentCoordinators } from '../coordinators/coordinator-beat.ts';
import { LOST_DEADLINES } from '../coordinators/coordinator-queries.ts';
import { dueFollowers, dueQuestions } from '../questions/sweep-due-questions.ts';
import { stalledSessions } from '../runs/sweep-stalled-sessions.ts';
import { unwatchedRuns } from '../runs/sweep-unwatched-runs.ts';
import { dueSchedules, unsaidSchedules } from '../schedules/sweep-due-schedules.ts';
import { endingSessions } from '../sessions/sweep-ending-sessions.ts';
import { idleSessions } from '../sessions/sweep-idle-sessions.ts';
import { abandonedRuns, silentSessions } from '../sessions/sweep-silent-sessions.ts';
import type { NewSweepStep, SweepStep } from '../sweep-step.ts';
import { unworkedTasks } from '../task-work/sweep-unworked-tasks.ts';
import { deadChatTurns } from '../turns/sweep-dead-turns.ts';
import { makeRoom } from '../wake-ups/evict-idle-session.ts';
import { QUEUE_DEADLINES } from '../wake-ups/start-queue-queries.ts';
import { cooledWakeUps } from '../wake-ups/sweep-cooled-wake-ups.ts';
import { expiredWakeUps, heldWakeUpsStep } from '../wake-ups/sweep-expired-wake-ups.ts';
import { missingWakeUps } from '../wake-ups/sweep-missing-wake-ups.ts';
import { overLimitWork } from '../wake-ups/sweep-over-limit.ts';
import { prune } from './prune.ts';

/** The steps of a round, in their order. Their names are used in its result, its metric and its log. */
export const SWEEP_STEPS = {
  idle: idleSessions,
  overLimit: overLimitWork,
  expired: expiredWakeUps,
  held: heldWakeUpsStep,
  silent: silentSessions,
  abandoned: abandonedRuns,
  stalled: stalledSessions,
  ended: endingSessions,
  closed: goneViewers,
  settled: waitingCloses,
  evicted: withDeadlines(QUEUE_DEADLINES, () => {
    const asked: string[] = [];
    return (context, attempt) => makeRoom(context.deps, attempt, asked);
  }),
  cooled: cooledWakeUps,
  repaired: missingWakeUps,
  unworked: unworkedTasks,
  unwatched: unwatchedRuns,
  silentCoordinators: withDeadlines(
    SILENT_DEADLINES,
    () => (context) => noteSilentCoordinators(context.deps),
  ),
  lostCoordinators: withDeadlines(
    LOST_DEADLINES,
    () => (context, attempt) => loseSilentCoordinators(context.deps, attempt),
  ),
  followers: dueFollowers,
  questions: dueQuestions,
  approvals: dueApprovals,
  schedules: dueSchedules,
  schedulesOff: unsaidSchedules,
  conversations: dueConversations,
  turns: deadChatTurns,
  pruned: prune,
} satisfies Record<string, NewSweepStep>;

export type SweepStepName = keyof typeof SWEEP_STEPS;

function withDeadlines(deadlines: string, create: () => SweepStep): NewSweepStep {
  return Object.assign(create, { deadlines });
}
