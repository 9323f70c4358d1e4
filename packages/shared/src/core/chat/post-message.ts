import type { Message } from '../../contract/chat.ts';
import { BatchQueue } from '../../platform/batch-queue.ts';
import { keys } from '../../platform/change-log/keys.ts';
import { AppError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { transcriptLine, transcriptLineBytes } from '../../platform/transcript/transcript-line.ts';
import type { Person } from '../access/person.ts';
import { claimAttachments } from '../attachments/claim-attachments.ts';
import { storedAttachments } from '../attachments/stored-attachments.ts';
import type { ServiceDeps } from '../deps.ts';
import { mentionedPeople, storeMentions } from '../mentions/mentioned.ts';
import { mayMention } from '../mentions/rules/find-mentions.ts';
import { chatOf } from '../rules/work-key.ts';
import { chatThatTakesWork } from '../sessions/session-lifecycle.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { wake } from '../wake-ups/wake.ts';
import { ChatHistory } from './chat-history.ts';
import { lockChatTarget, requireChatTarget, requireRelatedTask } from './chat-target.ts';
import { chatTransaction, storeMessage } from './chat-transaction.ts';
import { type Post, type PostPlace, storePosts } from './post-queries.ts';
import { chatThreadId } from './thread-id.ts';
import { findByClientId, lockThread } from './thread-queries.ts';

/**
 * A batch locks its threads until it has committed: it is small, so that no message waits long because of
 * another thread.
 */
const POSTS_AT_ONCE = 32;
const RUNS_AT_ONCE = 3;

export interface PostMessageInput {
  readonly projectId: string;
  readonly agentId: string;
  /** Trimmed, 1–4,000 code points. */
  readonly content: string;
  readonly clientMessageId?: string | undefined;
  readonly relatedTaskId?: string | undefined;
  /** Files that this person has uploaded into the project and not used yet. */
  readonly attachments?: readonly string[] | undefined;
}

/** One call of post(), and the message as the fast path would store it. */
interface Posting {
  readonly person: Person;
  readonly input: PostMessageInput;
  readonly post: Post;
}

interface Posted {
  readonly message: Message;
  readonly created: boolean;
}

/**
 * Stores a message of a person. The common case (a member writes to an agent that is awake) is one statement,
 * shared with the messages that others post at the same moment; every other case takes the normal path: load
 * under lock, decide, save. Both paths must store the same rows (post-message.test.ts runs the same cases on
 * both). On either path the messages of a thread are stored in the order in which they came to this process.
 */
export class MessagePosting {
  readonly #deps: ServiceDeps;
  readonly #postings: BatchQueue<Posting, PostPlace | Posted>;

  constructor(deps: ServiceDeps) {
    this.#deps = deps;
    this.#postings = new BatchQueue<Posting, PostPlace | Posted>({
      run: (postings) => this.#postTogether(postings),
      runAlone: ({ person, input }) => postUnderLock(deps, person, input),
      keyOf: threadOf,
      maxItems: POSTS_AT_ONCE,
      maxRuns: RUNS_AT_ONCE,
    });
  }

  async post(person: Person, input: PostMessageInput): Promise<Posted> {
    if (person.accessLevel === 'viewer') return postUnderLock(this.#deps, person, input);
    const posting = { person, input, post: postOf(person, input) };
    const done = await this.#postings.add(posting);
    return 'message' in done ? done : { message: await this.#announce(posting, done), created: true };
  }

  /** All messages of a thread wait behind one that takes the normal path, so that none overtakes it. */
  async #postTogether(postings: readonly Posting[]): Promise<(PostPlace | null)[]> {
    const slowThreads = new Set<string>();
    const common = postings.filter((posting) => {
      if (!isCommon(posting.input)) slowThreads.add(threadOf(posting));
      return !slowThreads.has(threadOf(posting));
    });
    const places = await storePosts(
      this.#deps.database,
      common.map(({ post }) => post),
    );
    const placeOf = new Map(common.map((posting, index) => [posting, places[index]]));
    return postings.map((posting) => placeOf.get(posting) ?? null);
  }

  /** The work of the normal path after its commit. */
  async #announce({ person, input, post }: Posting, place: PostPlace): Promise<Message> {
    const { projectId, agentId } = input;
    this.#deps.database.onCommit(new Set([keys.membership(projectId, agentId), keys.log(projectId)]));
    const line = lineOf(post);
    const createdAt = place.now.toISOString();
    await this.#deps.transcripts.noteStored({
      projectId,
      agentId,
      workingDirectory: place.workingDirectory,
      offset: place.logOffset,
      line: transcriptLine({ ...line, createdAt }),
    });
    return { ...line, projectId, senderName: person.name, createdAt, state: 'stored', seq: place.seq };
  }
}

/** The statement stores only texts that can mention nobody. */
function isCommon({ relatedTaskId, attachments = [], content }: PostMessageInput): boolean {
  return relatedTaskId === undefined && attachments.length === 0 && !mayMention(content);
}

function threadOf({ input }: Posting): string {
  return chatThreadId(input.projectId, input.agentId);
}

function postOf(person: Person, { projectId, agentId, content, clientMessageId }: PostMessageInput): Post {
  const post = {
    id: newId('msg'),
    projectId,
    agentId,
    humanId: person.id,
    isOwner: person.accessLevel === 'owner',
    content,
    clientMessageId: clientMessageId ?? null,
  };
  return { ...post, lineBytes: transcriptLineBytes(lineOf(post)) };
}

function lineOf({ id, humanId, content }: Pick<Post, 'id' | 'humanId' | 'content'>) {
  return { id, sender: 'user' as const, senderId: 'user', humanId, content, visible: true };
}

async function postUnderLock(deps: ServiceDeps, person: Person, input: PostMessageInput): Promise<Posted> {
  await requireChatTarget(deps.database.db, person, input, 'writes');
  if (input.relatedTaskId !== undefined)
    await requireRelatedTask(deps.database.db, input.projectId, input.relatedTaskId);
  const { id, created } = await chatTransaction(deps, async (tx) => {
    await lockChatTarget(tx, input, { writes: true });
    const open = await new SessionQueries(tx.db).lockOpen(input.projectId, input.agentId);
    const now = await tx.now();
    if (input.clientMessageId !== undefined) {
      const threadId = chatThreadId(input.projectId, input.agentId);
      // The lock of the thread: a fast path with the same id has either committed by now or comes after us.
      await lockThread(tx.db, threadId);
      const { clientMessageId } = input;
      const first = await findByClientId(tx.db, { threadId, humanId: person.id, clientMessageId });
      if (first) {
        if (!isSame(first, input))
          throw new AppError(
            'client_message_id_reused',
            'This clientMessageId was used for another message.',
          );
        return { id: first.id, created: false };
      }
    }
    const messageId = newId('msg');
    const attachments = await claimAttachments(tx, person, {
      ids: input.attachments,
      projectId: input.projectId,
      use: { messageId },
    });
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
      attachments,
      deliverTo: input.agentId,
    });
    const humanIds = await mentionedPeople(tx.db, { ...input, writerId: person.id });
    await storeMentions(tx, { projectId: input.projectId, messageId, humanIds });
    // Trap 6: a wake-up is written only when no live session takes the message, never one per message.
    if (!(await chatThatTakesWork(tx, open, now)))
      await wake(tx, chatOf(input), { openedBy: person.id, now });
    return { id: messageId, created: true };
  });
  const message = (await new ChatHistory(deps).byIds([id])).get(id);
  if (!message) throw new Error('a stored message is gone');
  return { message, created };
}

/** The same text with the same files in the same order. */
function isSame(first: { content: string; attachments: unknown }, input: PostMessageInput): boolean {
  const files = storedAttachments(first.attachments) ?? [];
  const { content, attachments = [] } = input;
  return first.content === content && files.map(({ id }) => id).join() === attachments.join();
}
