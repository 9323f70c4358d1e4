import { BatchQueue } from '../batch-queue.ts';
import { keys } from '../changes/keys.ts';
import { chatLogLine, chatLogLineBytes } from '../chat-log/chat-log-line.ts';
import type { Message } from '../contract/chat.ts';
import { SessionRepository } from '../db/repositories/session-repository.ts';
import { AppError } from '../errors.ts';
import { newId } from '../ids.ts';
import { ChatHistory } from './chat-history.ts';
import { lockChatTarget, requireChatTarget, requireRelatedTask } from './chat-target.ts';
import { chatThreadId, chatTransaction, storeMessage } from './chat-transaction.ts';
import type { ServiceDeps } from './deps.ts';
import { type Person, requireWriter } from './person.ts';
import { type Post, type PostPlace, storePosts } from './post-statement.ts';
import { chatThatTakesWork, nowIn, wake } from './session-lifecycle.ts';

/** A batch holds its threads until it has committed: short, so that nobody waits long behind a stranger's thread. */
const POSTS_AT_ONCE = 32;
const RUNS_AT_ONCE = 3;

export interface PostMessageInput {
  readonly projectId: string;
  readonly agentId: string;
  /** Trimmed, 1–4,000 code points. */
  readonly content: string;
  readonly clientMessageId?: string | undefined;
  readonly relatedTaskId?: string | undefined;
}

/**
 * A person's message. The common case (member writes to an agent that is awake) is one statement, shared with what
 * others write in the same moment; whatever it does not cover takes the normal path: load under lock, decide, save.
 * Both must store the same (core-post.test.ts feeds them the same cases).
 */
export class MessagePosting {
  readonly #deps: ServiceDeps;
  readonly #posts: BatchQueue<Post, PostPlace | null>;

  constructor(deps: ServiceDeps) {
    this.#deps = deps;
    this.#posts = new BatchQueue({
      run: (posts) => storePosts(deps.database, posts),
      // A thread's messages keep the order in which they came, and two runs never wait for each other's rows.
      keyOf: ({ projectId, agentId }) => chatThreadId(projectId, agentId),
      maxItems: POSTS_AT_ONCE,
      maxRuns: RUNS_AT_ONCE,
    });
  }

  async post(person: Person, input: PostMessageInput): Promise<{ message: Message; created: boolean }> {
    const fast = await this.#postFast(person, input);
    if (fast !== null) return { message: fast, created: true };
    return postUnderLock(this.#deps, person, input);
  }

  async #postFast(person: Person, input: PostMessageInput): Promise<Message | null> {
    if (person.accessLevel === 'viewer' || input.relatedTaskId !== undefined) return null;
    const { projectId, agentId, content } = input;
    const line = {
      id: newId('msg'),
      sender: 'user' as const,
      senderId: 'user',
      humanId: person.id,
      content,
      visible: true,
    };
    const place = await this.#posts.add({
      id: line.id,
      projectId,
      agentId,
      humanId: person.id,
      isOwner: person.accessLevel === 'owner',
      content,
      clientMessageId: input.clientMessageId ?? null,
      lineBytes: chatLogLineBytes(line),
    });
    if (place === null) return null;
    this.#deps.database.onCommit(new Set([keys.pair(projectId, agentId), keys.log(projectId)]));
    const createdAt = place.now.toISOString();
    await this.#deps.chatLog.noteStored({
      projectId,
      agentId,
      workingDirectory: place.workingDirectory,
      offset: place.logOffset,
      line: chatLogLine({ ...line, createdAt }),
    });
    return {
      ...line,
      projectId,
      senderName: person.name,
      createdAt,
      state: 'stored',
      seq: place.seq,
    };
  }
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
    await lockChatTarget(tx, input, { writes: true });
    const open = await new SessionRepository(tx.db).lockOpen(input.projectId, input.agentId);
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
    // Trap 6: a wake-up only when nothing live takes the message, never one per message.
    if (!(await chatThatTakesWork(tx, open, now))) await wake(tx, input, { openedBy: person.id, now });
    return { id: messageId, created: true };
  });
  const message = (await new ChatHistory(deps).byIds([id])).get(id);
  if (!message) throw new Error('a stored message is gone');
  return { message, created };
}
