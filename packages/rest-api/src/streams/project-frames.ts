import type { AgentSessionView, Message } from '@aizuchi/shared/contract/chat';
import type { Conversation } from '@aizuchi/shared/contract/conversation';
import type { Question } from '@aizuchi/shared/contract/question';
import type { Task } from '@aizuchi/shared/contract/task';
import type { ProjectFrameBody } from '@aizuchi/shared/contract/ws';
import { unreachable } from '@aizuchi/shared/core/rules/unreachable';
import type { LogEntry } from '@aizuchi/shared/platform/changes/change-log';
import { toQuestionFrame } from './question-frames.ts';

/** A message and whose chat it stands in. */
interface ToldMessage {
  readonly message: Message;
  readonly agentId?: string;
}

/** Of the first `asked` ids those that are there: as many ids as fit into one answer. */
interface FirstRows<T> {
  readonly rows: ReadonlyMap<string, T>;
  readonly asked: number;
}

/** Where the current rows come from: the log only names them. */
export interface FrameSources {
  /** The first of them, as far as they fit into one answer; unknown ones are absent. */
  messages(ids: readonly string[]): Promise<ReadonlyMap<string, ToldMessage>>;
  tasks(ids: readonly string[]): Promise<FirstRows<Task>>;
  conversations(ids: readonly string[]): Promise<FirstRows<Conversation>>;
  questions(toolUseIds: readonly string[]): Promise<ReadonlyMap<string, Question>>;
  pendingQuestions(projectId: string): Promise<readonly Question[]>;
  sessions(
    projectId: string,
    agentIds: readonly string[],
  ): Promise<Readonly<Record<string, AgentSessionView>>>;
}

export interface RenderedEntry {
  readonly entry: LogEntry;
  readonly body: ProjectFrameBody;
  /** Only this person's sockets hear it. */
  readonly humanId?: string;
}

/** Frames whose rows are in memory together. */
const PAGE = 50;
const NONE = { rows: new Map<string, never>(), asked: 0 };

/**
 * Turns entries into frames, in the order of the log, page by page: what waits may be many times what memory should
 * hold. Rows are loaded as they are now; so of several entries about one row only the last becomes a frame, else a
 * reader would see the same twice.
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

/** Before the first entry whose row was left out for its size. Each kind has its first row: this is never 0. */
function endOfPage(entries: readonly LogEntry[], rows: Rows): number {
  return Math.min(
    endOfMessages(entries, rows),
    endOfKind('task', rows.tasks.asked, entries),
    endOfKind('conversation', rows.conversations.asked, entries),
  );
}

/** Before the entry of this kind that comes behind the first `asked` of them. */
function endOfKind(kind: LogEntry['kind'], asked: number, entries: readonly LogEntry[]): number {
  let count = 0;
  const next = entries.findIndex((entry) => {
    if (entry.kind === kind) count += 1;
    return count > asked;
  });
  return next === -1 ? entries.length : next;
}

/** Behind the last message that is there, before the next one. */
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
  readonly tasks: FirstRows<Task>;
  readonly conversations: FirstRows<Conversation>;
  readonly questions: ReadonlyMap<string, Question>;
  /** By project, then by agent. */
  readonly sessions: ReadonlyMap<string, Readonly<Record<string, AgentSessionView>>>;
}

/** Of several entries about one row the last, in the order of the log. */
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
  const taskIds: string[] = [];
  const conversationIds: string[] = [];
  const toolUseIds: string[] = [];
  const agentIds = new Map<string, string[]>();
  for (const entry of entries) {
    if (entry.kind === 'message') messageIds.push(refOf(entry, 'messageId'));
    if (entry.kind === 'task') taskIds.push(refOf(entry, 'taskId'));
    if (entry.kind === 'conversation') conversationIds.push(refOf(entry, 'conversationId'));
    if (entry.kind === 'question') toolUseIds.push(refOf(entry, 'toolUseId'));
    if (entry.kind === 'session' && entry.projectId !== null) {
      const ofProject = agentIds.get(entry.projectId) ?? [];
      agentIds.set(entry.projectId, [...ofProject, refOf(entry, 'agentId')]);
    }
  }
  const [messages, tasks, conversations, questions, sessions] = await Promise.all([
    messageIds.length > 0 ? sources.messages(messageIds) : new Map<string, ToldMessage>(),
    taskIds.length > 0 ? sources.tasks(taskIds) : NONE,
    conversationIds.length > 0 ? sources.conversations(conversationIds) : NONE,
    toolUseIds.length > 0 ? sources.questions(toolUseIds) : new Map<string, Question>(),
    Promise.all(
      [...agentIds].map(
        async ([projectId, ids]) => [projectId, await sources.sessions(projectId, ids)] as const,
      ),
    ),
  ]);
  return { messages, tasks, conversations, questions, sessions: new Map(sessions) };
}

function toBody(entry: LogEntry, rows: Rows): ProjectFrameBody | undefined {
  switch (entry.kind) {
    case 'message': {
      const told = rows.messages.get(refOf(entry, 'messageId'));
      return told?.message.visible ? { type: 'message', ...told } : undefined;
    }
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
    default:
      return unreachable(entry.kind);
  }
}

function refOf(entry: LogEntry, name: string): string {
  return entry.ref[name] ?? '';
}
