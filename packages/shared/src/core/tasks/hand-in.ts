import type { Tx } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import type { AgentCaller } from '../access/agent-caller.ts';
import { chainOfSession } from '../conversations/chain-queries.ts';
import { startInChain } from '../conversations/start-in-chain.ts';
import type { ServiceDeps } from '../deps.ts';
import { newestAttemptOf } from '../task-work/attempt-queries.ts';
import { lockTasksOfProject } from '../task-work/lock-queries.ts';
import { insertContextNote } from './agent-work-queries.ts';
import { lockForChange } from './lock-task.ts';
import { type Reviewer, reviewerOf } from './review-queries.ts';
import { afterReport } from './rules/review.ts';
import type { TaskRow } from './task-queries.ts';
import { changeTask } from './task-writes.ts';

/** For the agent that reviews, as saved context of the one that has worked. */
const REVIEW = `The agent before you reports this task as done; what it says of it is in the newest comments. Do not do the task again: check the result against the task. Report "done" when it is right. When it is not, report "blocked", and say what is missing.`;

/** Of the summary, in characters (half of one cannot be stored), where it stands beside a reason. */
const SAID = 500;

export interface HandInOrder {
  readonly caller: AgentCaller;
  /** Locked, and in progress. */
  readonly task: TaskRow;
  readonly reviewer: Reviewer | undefined;
  readonly reported: 'done' | 'blocked';
  /** The version on which the report is based. */
  readonly version: number;
  /** Of the work, for its attempt. */
  readonly summary?: string | undefined;
  readonly now: Date;
}

/** The locks of lockForChange for a task that an agent says is done, and who looks at it then. */
export async function lockForHandIn(
  tx: Tx,
  task: Pick<TaskRow, 'id' | 'projectId' | 'assigneeId'>,
  agentIds: readonly string[],
): Promise<Reviewer | undefined> {
  await lockTasksOfProject(tx.db, task.projectId);
  const reviewerId = (await reviewerOf(tx.db, task.projectId))?.id;
  await lockForChange(tx, task, [...agentIds, reviewerId]);
  // Its membership may have been gone when it was locked.
  return reviewerOf(tx.db, task.projectId);
}

/** What an agent reports: the task is done or blocked, or its reviewer is asked first. */
export async function handIn(tx: Tx, deps: Pick<ServiceDeps, 'settings'>, order: HandInOrder): Promise<void> {
  const { caller, task, reviewer, reported, version, summary, now } = order;
  const { id: taskId } = task;
  const { agentId } = caller;
  const { status, reviewerId } = afterReport(reported, {
    workerId: agentId,
    reviewerId: reviewer?.id ?? null,
  });
  // A review by an agent is work that an agent begins: it counts in the chain.
  const isBegun = reviewerId !== null && reviewer?.type === 'ai';
  const chainId = isBegun
    ? await startInChain(tx, deps, caller).catch(unlessChainLimit)
    : await chainOfSession(tx.db, caller.sessionId);
  const by = { id: agentId, personId: null, ...(summary !== undefined && { summary }) };
  if (chainId === 'limit') {
    // Nobody may look at it any more without a person: it waits for one.
    const summaryReason = {
      code: 'review_chain_limit',
      params: { lastLine: [...(summary ?? '')].slice(0, SAID).join('') },
    };
    return changeTask(tx, task, { version, status: 'blocked' }, now, { ...by, summaryReason });
  }
  if (reviewerId === null) return changeTask(tx, task, { version, status }, now, { ...by, chainId });
  const attempt = (await newestAttemptOf(tx.db, { taskId, agentId })) ?? null;
  await changeTask(tx, task, { version, assigneeId: reviewerId }, now, {
    ...by,
    chainId,
    isHandedIn: true,
  });
  if (isBegun) await insertContextNote(tx.db, { taskId, agentId, attempt, text: REVIEW, now });
}

function unlessChainLimit(error: unknown): 'limit' {
  if (error instanceof AppError && error.code === 'chain_limit') return 'limit';
  throw error;
}
