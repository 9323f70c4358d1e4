import type { AgentSessionView, Message } from '@aizuchi/shared/contract/chat';
import type { Conversation } from '@aizuchi/shared/contract/conversation';
import type { Question } from '@aizuchi/shared/contract/question';
import type { Task } from '@aizuchi/shared/contract/task';
import type { ProjectFrameBody } from '@aizuchi/shared/contract/ws';
import type { ApprovalNews } from '@aizuchi/shared/core/approvals/approval-service';
import type { NamedStep, StepName } from '@aizuchi/shared/core/chat/steps/step-service';
import { unreachable } from '@aizuchi/shared/core/rules/unreachable';
import type { LogEntry } from '@aizuchi/shared/platform/change-log/change-log';
import { toApprovalFrame, toQuestionFrame } from './card-frames.ts';

/** A message and the agent whose chat it belongs to. */
interface ToldMessage {
  readonly message: Message;
  readonly agentId?: string;
}

/** The rows found for the first `asked` ids: as many ids as fit into one answer. */
interface FirstRows<T> {
  readonly rows: ReadonlyMap<string, T>;
  readonly asked: number;
}

/** Where the current rows come from; the log holds only their ids. */
export interface FrameSources {
  /** The first of these messages, as many as fit into one answer. Unknown ids are left out. */
  messages(ids: readonly string[]): Promise<ReadonlyMap<string, ToldMessage>>;
  /** The first of these steps, as many as fit into one answer, and of how many they are. */
  steps(
    names: readonly StepName[],
  ): Promise<{ readonly steps: readonly NamedStep[]; readonly asked: number }>;
  tasks(ids: readonly string[]): Promise<FirstRows<Task>>;
  conversations(ids: readonly string[]): Promise<FirstRows<Conversation>>;
  questions(toolUseIds: readonly string[]): Promise<ReadonlyMap<string, Question>>;
  approvals(ids: readonly string[]): Promise<ReadonlyMap<string, ApprovalNews>>;
  pendingQuestions(projectId: string): Promise<readonly Question[]>;
  pendingApprovals(projectId: string): Promise<readonly ApprovalNews[]>;
  sessions(
    projectId: string,
    agentIds: readonly string[],
  ): Promise<Readonly<Record<string, AgentSessionView>>>;
}

export interface RenderedEntry {
  readonly entry: LogEntry;
  readonly body: ProjectFrameBody;
  /** If set, only the sockets of this person get the frame. */
  readonly humanId?: string;
}

/** How many rows of frames are in memory together. */
const PAGE = 50;
const NONE = { rows: new Map<string, never>(), asked: 0 };

/**
 * Turns log entries into frames, in log order, page by page: the entries that wait may need much more memory than
 * there is. The rows are loaded in their current state, so of several entries about one row only the last becomes a
 * frame; otherwise a reader would get the same frame twice.
 */
export async function* renderPages(
  entries: readonly LogEntry[],
  sources: FrameSources,
): AsyncGenerator<{ readonly frames: readonly RenderedEntry[]; readonly isLast: boolean }> {
  for (let rest = lastAboutEach(entries); rest.length > 0; ) {
    const loaded = rest.slice(0, PAGE);
    const rows = await loadRows(loaded, sources);
    const page = loaded.slice(0, endOfPage(loaded, rows));
    rest = rest.slice(page.length);
    const frames = page.flatMap((entry): RenderedEntry[] => {
      const body = toBody(entry, rows);
      if (!body) return [];
      return [{ entry, body, ...(entry.kind === 'unread' && { humanId: refOf(entry, 'humanId') }) }];
    });
    yield { frames, isLast: rest.length === 0 };
  }
}

/**
 * The index before the first entry whose row was left out because of its size. It is never 0: the first row of each
 * kind is always there.
 */
function endOfPage(entries: readonly LogEntry[], rows: Rows): number {
  return Math.min(
    endOfMessages(entries, rows),
    endOfKind('step', rows.steps.asked, entries),
    endOfKind('task', rows.tasks.asked, entries),
    endOfKind('conversation', rows.conversations.asked, entries),
  );
}

/** The index of the first entry of this kind after the first `asked` ones. */
function endOfKind(kind: LogEntry['kind'], asked: number, entries: readonly LogEntry[]): number {
  let count = 0;
  const next = entries.findIndex((entry) => {
    if (entry.kind === kind) count += 1;
    return count > asked;
  });
  return next === -1 ? entries.length : next;
}

/** The index of the next message entry after the last message that was loaded. */
function endOfMessages(entries: readonly LogEntry[], { messages }: Rows): number {
  if (messages.size === 0) return entries.length;
  const isMessage = (entry: LogEntry) => entry.kind === 'message';
  const isThere = (entry: LogEntry) => isMessage(entry) && messages.has(refOf(entry, 'messageId'));
  const last = entries.findLastIndex(isThere);
  const next = entries.findIndex((entry, index) => index > last && isMessage(entry));
  return next === -1 ? entries.length : next;
}

interface Rows {
  readonly messages: ReadonlyMap<string, ToldMessage>;
  /** By `nameOf`. */
  readonly steps: FirstRows<NamedStep>;
  readonly tasks: FirstRows<Task>;
  readonly conversations: FirstRows<Conversation>;
  readonly questions: ReadonlyMap<string, Question>;
  readonly approvals: ReadonlyMap<string, ApprovalNews>;
  /** By project, then by agent. */
  readonly sessions: ReadonlyMap<string, Readonly<Record<string, AgentSessionView>>>;
}

/** The last entry about each row, in log order. */
export function lastAboutEach(entries: readonly LogEntry[]): readonly LogEntry[] {
  const byRow = new Map<string, LogEntry>();
  for (const entry of entries) {
    const key = `${entry.kind} ${entry.projectId} ${JSON.stringify(entry.ref)}`;
    byRow.delete(key);
    byRow.set(key, entry);
  }
  return [...byRow.values()];
}

async function loadRows(entries: readonly LogEntry[], sources: FrameSources): Promise<Rows> {
  const messageIds: string[] = [];
  const stepNames: StepName[] = [];
  const taskIds: string[] = [];
  const conversationIds: string[] = [];
  const toolUseIds: string[] = [];
  const approvalIds: string[] = [];
  const agentIds = new Map<string, string[]>();
  for (const entry of entries) {
    if (entry.kind === 'message') messageIds.push(refOf(entry, 'messageId'));
    if (entry.kind === 'step') stepNames.push(stepOf(entry));
    if (entry.kind === 'task') taskIds.push(refOf(entry, 'taskId'));
    if (entry.kind === 'conversation') conversationIds.push(refOf(entry, 'conversationId'));
    if (entry.kind === 'question') toolUseIds.push(refOf(entry, 'toolUseId'));
    if (entry.kind === 'approval') approvalIds.push(refOf(entry, 'toolUseId'));
    if (entry.kind === 'session' && entry.projectId !== null) {
      const ofProject = agentIds.get(entry.projectId) ?? [];
      agentIds.set(entry.projectId, [...ofProject, refOf(entry, 'agentId')]);
    }
  }
  const [messages, steps, tasks, conversations, questions, approvals, sessions] = await Promise.all([
    messageIds.length > 0 ? sources.messages(messageIds) : new Map<string, ToldMessage>(),
    stepNames.length > 0 ? firstSteps(stepNames, sources) : NONE,
    taskIds.length > 0 ? sources.tasks(taskIds) : NONE,
    conversationIds.length > 0 ? sources.conversations(conversationIds) : NONE,
    toolUseIds.length > 0 ? sources.questions(toolUseIds) : new Map<string, Question>(),
    approvalIds.length > 0 ? sources.approvals(approvalIds) : new Map<string, ApprovalNews>(),
    Promise.all(
      [...agentIds].map(
        async ([projectId, ids]) => [projectId, await sources.sessions(projectId, ids)] as const,
      ),
    ),
  ]);
  return { messages, steps, tasks, conversations, questions, approvals, sessions: new Map(sessions) };
}

function toBody(entry: LogEntry, rows: Rows): ProjectFrameBody | undefined {
  switch (entry.kind) {
    case 'message': {
      const told = rows.messages.get(refOf(entry, 'messageId'));
      return told?.message.visible ? { type: 'message', ...told } : undefined;
    }
    case 'step': {
      const told = rows.steps.rows.get(nameOf(stepOf(entry)));
      if (!told) return undefined;
      const { messageId, agentId, conversationId, attempt, step } = told;
      if (attempt !== null)
        return { type: 'task_step', taskId: attempt.taskId, attempt: attempt.n, agentId, messageId, step };
      return {
        type: 'message_step',
        messageId,
        agentId,
        ...(conversationId !== null && { conversationId }),
        step,
      };
    }
    case 'discarded':
      return {
        type: 'message_discarded',
        messageId: refOf(entry, 'messageId'),
        agentId: refOf(entry, 'agentId'),
      };
    case 'session': {
      const agentId = refOf(entry, 'agentId');
      const session = rows.sessions.get(entry.projectId ?? '')?.[agentId];
      return session && { type: 'session_changed', agentId, ...session };
    }
    case 'task': {
      const taskId = refOf(entry, 'taskId');
      const task = rows.tasks.rows.get(taskId);
      return task ? { type: 'task_changed', task } : { type: 'task_changed', taskId, deleted: true };
    }
    case 'question': {
      const question = rows.questions.get(refOf(entry, 'toolUseId'));
      return question && toQuestionFrame(question);
    }
    case 'approval': {
      const approval = rows.approvals.get(refOf(entry, 'toolUseId'));
      return approval && toApprovalFrame(approval);
    }
    case 'run':
      return { type: 'run_changed', runId: refOf(entry, 'runId'), agentId: refOf(entry, 'agentId') };
    case 'conversation': {
      const conversation = rows.conversations.rows.get(refOf(entry, 'conversationId'));
      return conversation && { type: 'conversation_changed', conversation };
    }
    case 'unread':
      return { type: 'unread_changed' };
    case 'coordinators':
      return { type: 'coordinators_changed' };
    // No frame of a project: who comes into one does not follow it yet (inbox-feed.ts).
    case 'projects':
      return undefined;
    default:
      return unreachable(entry.kind);
  }
}

async function firstSteps(names: readonly StepName[], sources: FrameSources): Promise<FirstRows<NamedStep>> {
  const { steps, asked } = await sources.steps(names);
  return { rows: new Map(steps.map((step) => [nameOf(step), step])), asked };
}

function stepOf(entry: LogEntry): StepName {
  return { messageId: refOf(entry, 'messageId'), stepId: refOf(entry, 'stepId') };
}

function nameOf({ messageId, stepId }: StepName): string {
  return `${messageId} ${stepId}`;
}

function refOf(entry: LogEntry, name: string): string {
  return entry.ref[name] ?? '';
}
