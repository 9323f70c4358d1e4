import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import type { Task, TaskStatus } from '@aizuchi/shared/contract/task';

type StripKind = 'working' | 'starting' | 'queued' | 'asks' | 'failed' | 'depends';

/** The line at the bottom of a card: what its agent is doing, as far as that is known. */
export interface Strip {
  readonly kind: StripKind;
  /** Since when. */
  readonly since?: string;
  /** The title of a task that it waits for, and how many others there are. */
  readonly waitsFor?: string;
  readonly others?: number;
}

/** What is known about the work on one task. */
export interface WorkFacts {
  readonly task: Pick<Task, 'status' | 'assigneeId'>;
  /** The process that works on it. */
  readonly run:
    | { readonly state: string; readonly startedAt: string; readonly waitsForAgentId?: string | undefined }
    | undefined;
  /** Since when it waits for a process. */
  readonly queuedSince: string | undefined;
  /** Since when its agent waits for an answer of a person. */
  readonly askingSince: string | undefined;
  /** The session of its agent. */
  readonly session: AgentSessionView | undefined;
  /** The titles of the tasks that it waits for. */
  readonly unfinished: readonly string[];
}

export function stripOf(facts: WorkFacts): Strip | undefined {
  const { task, run, queuedSince, askingSince, session, unfinished } = facts;
  const [first, ...others] = unfinished;
  if (task.status === 'todo' && task.assigneeId !== undefined && first !== undefined)
    return { kind: 'depends', waitsFor: first, others: others.length };
  if (!showsRing(task.status)) return undefined;
  if (askingSince !== undefined) return { kind: 'asks', since: askingSince };
  if (task.status !== 'in_progress') return undefined;
  if (run?.waitsForAgentId !== undefined) return { kind: 'queued', since: run.startedAt };
  if (run) return { kind: run.state === 'running' ? 'working' : 'starting', since: run.startedAt };
  if (queuedSince !== undefined) return { kind: 'queued', since: queuedSince };
  if (!session) return undefined;
  if (session.chatStatus === 'failed') return { kind: 'failed', since: session.since };
  // A client that signed in by itself has no process here.
  return session.task > 0 ? { kind: 'working', since: session.since } : undefined;
}

/** The agent's state matters only on a task that is being worked on. */
export function showsRing(status: TaskStatus): boolean {
  return status === 'in_progress' || status === 'blocked';
}

/** The new strips; one that says the same as before is the same object, so that its card is not drawn again. */
export function mergeStrips(
  before: ReadonlyMap<string, Strip>,
  now: ReadonlyMap<string, Strip>,
): ReadonlyMap<string, Strip> {
  const merged = new Map([...now].map(([id, strip]) => [id, sameOf(before.get(id), strip)]));
  const isSame = before.size === merged.size && [...merged].every(([id, strip]) => before.get(id) === strip);
  return isSame ? before : merged;
}

function sameOf(before: Strip | undefined, now: Strip): Strip {
  const isSame =
    before?.kind === now.kind &&
    before.since === now.since &&
    before.waitsFor === now.waitsFor &&
    before.others === now.others;
  return isSame ? before : now;
}
