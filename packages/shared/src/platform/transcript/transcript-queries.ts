import { sql } from 'kysely';
import type { Queryable } from '../db/database.ts';
import { type TranscriptMessage, transcriptLine } from './transcript-line.ts';

export interface ThreadKey {
  readonly projectId: string;
  readonly agentId: string;
}

/** Consecutive lines of one transcript, as they must stand in the file. */
export interface Stretch {
  readonly offset: number;
  readonly bytes: Buffer;
}

/** The stored messages do not give the bytes that their offsets promise. */
export class InconsistentOffsets extends Error {}

const STRETCH_BYTES = 1_048_576;

/** What chat.jsonl must hold, read from the messages; and the fault that a project shows. */
export class TranscriptQueries {
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** The length that the transcript must have at this moment. */
  async expectedBytes(thread: ThreadKey): Promise<number> {
    const row = await this.#db
      .selectFrom('chatThreads')
      .select('logBytes')
      .where('id', '=', `${thread.projectId}/${thread.agentId}`)
      .executeTakeFirst();
    return row?.logBytes ?? 0;
  }

  /** Where the transcript belongs now; undefined when the project is gone or archived. */
  async workingDirectory(projectId: string): Promise<string | undefined> {
    const row = await this.#db
      .selectFrom('projects')
      .select('workingDirectory')
      .where('id', '=', projectId)
      .where('status', '<>', 'archived')
      .where('deletedAt', 'is', null)
      .executeTakeFirst();
    return row?.workingDirectory;
  }

  /** Every transcript of the live projects that holds something, after `after` in the order of thread ids. */
  async transcripts(
    after: string,
    limit: number,
  ): Promise<(ThreadKey & { id: string; workingDirectory: string })[]> {
    return await this.#db
      .selectFrom('chatThreads')
      .innerJoin('projects', 'projects.id', 'chatThreads.projectId')
      .select(['chatThreads.id', 'chatThreads.projectId', 'chatThreads.agentId', 'projects.workingDirectory'])
      .where('chatThreads.id', '>', after)
      .where('chatThreads.logBytes', '>', 0)
      .where('projects.status', '<>', 'archived')
      .where('projects.deletedAt', 'is', null)
      .orderBy('chatThreads.id')
      .limit(limit)
      .execute();
  }

  /**
   * The lines from the one that holds byte `from` up to byte `to`, about a megabyte at a time. Commits keep the
   * order of offsets (the writer holds the thread's row), so whatever is committed has all its predecessors.
   * Throws InconsistentOffsets when a line is missing or has another length.
   */
  async *stretches(thread: ThreadKey, from: number, to: number): AsyncGenerator<Stretch> {
    let offset = from === 0 ? 0 : await this.#startOfLine(thread, from);
    while (offset < to) {
      const stretch = await this.#stretch(thread, offset, Math.min(to, offset + STRETCH_BYTES));
      yield stretch;
      offset += stretch.bytes.length;
    }
  }

  async #startOfLine(thread: ThreadKey, position: number): Promise<number> {
    const { rows } = await sql<{ logOffset: number | null }>`
      select max(log_offset) as log_offset from (
        (select log_offset from chat_messages
          where project_id = ${thread.projectId} and agent_id = ${thread.agentId} and log_offset <= ${position}
          order by log_offset desc limit 1)
        union all
        (select peer_log_offset from chat_messages
          where project_id = ${thread.projectId} and peer_agent_id = ${thread.agentId}
            and peer_log_offset <= ${position}
          order by peer_log_offset desc limit 1)) lines`.execute(this.#db);
    return rows[0]?.logOffset ?? 0;
  }

  /** Its own lines, and what other agents said to it: there without the receiver, at the place of the second file. */
  async #stretch(thread: ThreadKey, from: number, below: number): Promise<Stretch> {
    const { rows } = await sql<LineRow>`
      select id, sender_id, sender, human_id, receiver_id, content, created_at, visible, conversation_id,
        related_task_id, log_offset
      from chat_messages
      where project_id = ${thread.projectId} and agent_id = ${thread.agentId}
        and log_offset >= ${from} and log_offset < ${below}
      union all
      select id, sender_id, sender, human_id, null, content, created_at, visible, conversation_id,
        related_task_id, peer_log_offset
      from chat_messages
      where project_id = ${thread.projectId} and peer_agent_id = ${thread.agentId}
        and peer_log_offset >= ${from} and peer_log_offset < ${below}
      order by log_offset`.execute(this.#db);
    const lines: Buffer[] = [];
    let end = from;
    for (const { logOffset, createdAt, sender, ...message } of rows) {
      if (logOffset !== end) throw new InconsistentOffsets(`a line begins at ${logOffset} instead of ${end}`);
      const line = Buffer.from(
        transcriptLine({ ...message, sender: senderOf(sender), createdAt: createdAt.toISOString() }),
      );
      lines.push(line);
      end += line.length;
    }
    if (end < below) throw new InconsistentOffsets(`no line at ${end}`);
    return { offset: from, bytes: Buffer.concat(lines) };
  }

  async fault(projectId: string): Promise<string | null> {
    const row = await this.#db
      .selectFrom('projects')
      .select('chatLogFault')
      .where('id', '=', projectId)
      .executeTakeFirst();
    return row?.chatLogFault ?? null;
  }

  async showFault(projectId: string, fault: string): Promise<void> {
    await this.#db
      .updateTable('projects')
      .set({ chatLogFault: fault })
      .where('id', '=', projectId)
      .where('chatLogFault', 'is distinct from', fault)
      .execute();
  }

  /** Takes back exactly this fault; another one (of another agent's file, or newer) stays. */
  async withdrawFault(projectId: string, fault: string): Promise<void> {
    await this.#db
      .updateTable('projects')
      .set({ chatLogFault: null })
      .where('id', '=', projectId)
      .where('chatLogFault', '=', fault)
      .execute();
  }
}

interface LineRow extends Omit<TranscriptMessage, 'createdAt' | 'sender'> {
  readonly createdAt: Date;
  readonly sender: string;
  readonly logOffset: number;
}

function senderOf(value: string): TranscriptMessage['sender'] {
  if (value === 'user' || value === 'agent' || value === 'system') return value;
  throw new InconsistentOffsets('a message has an unknown kind of sender');
}
