import type { AgentSessionView, Message } from '@aizuchi/shared/contract/chat';
import type { Conversation } from '@aizuchi/shared/contract/conversation';
import type { Question } from '@aizuchi/shared/contract/question';
import type { Task } from '@aizuchi/shared/contract/task';
import type { ProjectFrameBody } from '@aizuchi/shared/contract/ws';
import { unreachable } from '@aizuchi/shared/core/rules/unreachable';
import type { LogEntry } from '@aizuchi/shared/platform/changes/change-log';
import { toQuestionFrame } from './question-frames.ts';

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
  readonly tasks: FirstRows<Task>;
  readonly conversations: FirstRows<Conversation>;
  readonly questions: ReadonlyMap<string, Question>;
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
