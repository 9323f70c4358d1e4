import { keys } from '../changes/keys.ts';
import { chatLogLine, chatLogLineBytes } from '../chat-log/chat-log-line.ts';
import type { Message } from '../contract/chat.ts';
import { isUniqueViolation } from '../db/database.ts';
import { SessionRepository } from '../db/repositories/session-repository.ts';
import { takesWork } from '../domain/session/session-machine.ts';
import { AppError } from '../errors.ts';
import { newId } from '../ids.ts';
import { ChatHistory } from './chat-history.ts';
import { requireChatTarget, requireRelatedTask } from './chat-target.ts';
import { chatThreadId, chatTransaction, storeMessage } from './chat-transaction.ts';
import type { ServiceDeps } from './deps.ts';
import { type Person, requireWriter } from './person.ts';
import { applySessionCommand, nowIn, wake } from './session-lifecycle.ts';

export interface PostMessageInput {
  readonly projectId: string;
  readonly agentId: string;
  /** Trimmed, 1–4,000 code points. */
  readonly content: string;
  readonly clientMessageId?: string | undefined;
  readonly relatedTaskId?: string | undefined;
}

/**
 * A person's message. The common case (member writes to an agent that is awake) is one statement; whatever it
 * does not cover takes the normal path: load under lock, decide, save. Both must store the same
 * (post-message.test.ts feeds them the same cases).
 */
export async function postMessage(
  deps: ServiceDeps,
  person: Person,
  input: PostMessageInput,
): Promise<{ message: Message; created: boolean }> {
  const fast = await postFast(deps, person, input);
  if (fast !== null) return { message: fast, created: true };
  return postUnderLock(deps, person, input);
}

interface FastRow {
  seq: number;
  now: Date;
  log_offset: number;
  working_directory: string;
}

/**
 * Stores counter, message and fact in one statement, only where: project not archived, chat session active, caller
 * an owner or a member with the right to write, clientMessageId new, no related task to check. That the agent is a
 * live AI member needs no look: whoever takes that away ends its sessions in the same transaction (going-away.ts).
 */
const POST_FAST = `
  with t as (
    update chat_threads t set last_seq = t.last_seq + 1, log_bytes = t.log_bytes + $4::bigint
    from projects p
    where t.id = $1 and p.id = $6 and p.status <> 'archived' and p.deleted_at is null
      and exists (select from agent_sessions s where s.project_id = $6 and s.agent_id = $7
        and s.purpose = 'chat' and s.task_id = '' and s.state = 'active' and s.close_requested_at is null)
      and ($2::boolean or exists (select from project_agents me where me.project_id = $6 and me.agent_id = $3))
    returning t.id, t.last_seq, t.log_bytes - $4::bigint as log_offset, p.working_directory,
      date_trunc('milliseconds', clock_timestamp()) as now
  ), stored as (
    insert into chat_messages (id, thread_id, seq, project_id, agent_id, sender, sender_id, human_id, content,
      created_at, client_message_id, deliver_to, log_offset)
    select $5, t.id, t.last_seq, $6, $7, 'user', 'user', $3, $8, t.now, $9, $7, t.log_offset from t
  ), fact as (
    insert into change_log (project_id, kind, ref) select $6, 'message', jsonb_build_object('messageId', $5::text) from t
  )
  select last_seq as seq, now, log_offset, working_directory from t`;

async function postFast(deps: ServiceDeps, person: Person, input: PostMessageInput): Promise<Message | null> {
  if (person.accessLevel === 'viewer' || input.relatedTaskId !== undefined) return null;
  const id = newId('msg');
  const line = {
    id,
    sender: 'user' as const,
    senderId: 'user',
    humanId: person.id,
    content: input.content,
    visible: true,
  };
  const values = [
    chatThreadId(input.projectId, input.agentId),
    person.accessLevel === 'owner',
    person.id,
    chatLogLineBytes(line),
    id,
    input.projectId,
    input.agentId,
    input.content,
    input.clientMessageId ?? null,
  ];
  let row: FastRow | undefined;
  try {
    [row] = await deps.database.statement<FastRow>({ name: 'post_message', text: POST_FAST, values });
  } catch (error) {
    // The same clientMessageId stands already: the normal path answers with the first.
    if (isUniqueViolation(error, 'chat_messages_client_id_key')) return null;
    throw error;
  }
  if (!row) return null;
  deps.database.onCommit(new Set([keys.pair(input.projectId, input.agentId), keys.log(input.projectId)]));
  const createdAt = row.now.toISOString();
  await deps.chatLog.noteStored({
    projectId: input.projectId,
    agentId: input.agentId,
    workingDirectory: row.working_directory,
    offset: row.log_offset,
    line: chatLogLine({ ...line, createdAt }),
  });
  return {
    id,
    projectId: input.projectId,
    senderId: 'user',
    humanId: person.id,
    senderName: person.name,
    sender: 'user',
    content: input.content,
    createdAt,
    visible: true,
    state: 'stored',
    seq: row.seq,
  };
}

async function postUnderLock(
  deps: ServiceDeps,
  person: Person,
  input: PostMessageInput,
): Promise<{ message: Message; created: boolean }> {
  await requireChatTarget(deps.database.db, person, input, { writes: true });
  requireWriter(person);
  if (input.relatedTaskId !== undefined)
    await requireRelatedTask(deps.database.db, input.projectId, input.relatedTaskId);
  const { id, created } = await chatTransaction(deps, async (tx) => {
    const sessions = new SessionRepository(tx.db);
    if (!(await sessions.lockPair(input.projectId, input.agentId)))
      throw new AppError('agent_not_in_project', 'This agent is not a member of the project. Add it first.');
    const open = await sessions.lockOpen(input.projectId, input.agentId);
    const now = await nowIn(tx, deps.clock);
    if (input.clientMessageId !== undefined) {
      // The thread's lock: a fast path with the same id either stands by now or comes after us.
      await tx.db
        .selectFrom('chatThreads')
        .select('id')
        .where('id', '=', chatThreadId(input.projectId, input.agentId))
        .forUpdate()
        .execute();
      const first = await tx.db
        .selectFrom('chatMessages')
        .select(['id', 'content'])
        .where('threadId', '=', chatThreadId(input.projectId, input.agentId))
        .where('humanId', '=', person.id)
        .where('clientMessageId', '=', input.clientMessageId)
        .executeTakeFirst();
      if (first) {
        if (first.content !== input.content)
          throw new AppError('client_message_id_reused', 'This clientMessageId was used for another text.');
        return { id: first.id, created: false };
      }
    }
    const messageId = newId('msg');
    await storeMessage(tx, {
      id: messageId,
      projectId: input.projectId,
      agentId: input.agentId,
      sender: 'user',
      senderId: 'user',
      humanId: person.id,
      content: input.content,
      visible: true,
      relatedTaskId: input.relatedTaskId,
      clientMessageId: input.clientMessageId,
      deliverTo: input.agentId,
    });
    const live = open.find((session) => session.purpose === 'chat' && takesWork(session));
    if (live?.state === 'terminating') await applySessionCommand(tx, live, { type: 'revive' }, now);
    // Trap 6: a wake-up only when nothing live takes the message, never one per message.
    if (!live) await wake(tx, input, { openedBy: person.id, now });
    return { id: messageId, created: true };
  });
  const message = (await new ChatHistory(deps).byIds([id])).get(id);
  if (!message) throw new Error('a stored message is gone');
  return { message, created };
}
