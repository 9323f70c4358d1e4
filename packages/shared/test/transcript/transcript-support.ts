import assert from 'node:assert/strict';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Database } from '../../src/platform/db/database.ts';
import { newId } from '../../src/platform/ids.ts';
import type { StoredLine } from '../../src/platform/transcript/transcript.ts';
import { transcriptLine, transcriptLineBytes } from '../../src/platform/transcript/transcript-line.ts';

export interface Room {
  readonly projectId: string;
  readonly agentId: string;
  readonly workingDirectory: string;
  readonly threadId: string;
  readonly path: string;
}

const made: string[] = [];

export async function removeFolders(): Promise<void> {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true });
}

export async function makeFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'aizuchi-chat-log-')));
  made.push(folder);
  return folder;
}

export function transcriptPath(workingDirectory: string, agentId: string): string {
  return join(workingDirectory, '.ai-pm', 'agents', agentId, 'chat.jsonl');
}

/** A project in a fresh folder with one agent and its empty thread. */
export async function makeRoom(database: Database): Promise<Room> {
  const workingDirectory = await makeFolder();
  const projectId = newId('prj');
  await database.db
    .insertInto('projects')
    .values({ id: projectId, name: projectId, workingDirectory })
    .execute();
  return addAgent(database, { projectId, workingDirectory });
}

/** One more agent in the same project. */
export async function addAgent(
  database: Database,
  { projectId, workingDirectory }: Pick<Room, 'projectId' | 'workingDirectory'>,
): Promise<Room> {
  const agentId = newId('agt');
  const threadId = `${projectId}/${agentId}`;
  await database.db
    .insertInto('agents')
    .values({ id: agentId, type: 'ai', name: agentId, provider: 'builtin' })
    .execute();
  await database.db.insertInto('chatThreads').values({ id: threadId, projectId, agentId }).execute();
  return { projectId, agentId, threadId, workingDirectory, path: transcriptPath(workingDirectory, agentId) };
}

/** Stores a message as the chat does: one statement gives it its sequence number and its place in the file. */
export async function storeMessage(database: Database, room: Room, content = 'hello'): Promise<StoredLine> {
  const message = {
    id: newId('msg'),
    senderId: 'user',
    sender: 'user' as const,
    humanId: 'owner',
    content,
    visible: true,
  };
  const bytes = transcriptLineBytes(message);
  const { rows } = await sql<{ createdAt: Date; logOffset: number }>`
    with thread as (
      update chat_threads set last_seq = last_seq + 1, log_bytes = log_bytes + ${bytes}
      where id = ${room.threadId} returning last_seq, log_bytes - ${bytes} as log_offset
    )
    insert into chat_messages
      (id, thread_id, seq, project_id, agent_id, sender, sender_id, human_id, content, created_at, log_offset)
    select ${message.id}, ${room.threadId}, last_seq, ${room.projectId}, ${room.agentId}, 'user', 'user', 'owner',
      ${content}, clock_timestamp(), log_offset
    from thread returning created_at, log_offset`.execute(database.db);
  const row = rows[0];
  if (!row) throw new Error('nothing stored');
  const { projectId, agentId, workingDirectory } = room;
  const line = transcriptLine({ ...message, createdAt: row.createdAt.toISOString() });
  return { projectId, agentId, workingDirectory, offset: row.logOffset, line };
}

/** What the file must hold: the thread, line by line (I-7). */
export async function expectedTranscript(database: Database, room: Room): Promise<string> {
  const rows = await database.db
    .selectFrom('chatMessages')
    .select(['id', 'content', 'createdAt'])
    .where('threadId', '=', room.threadId)
    .orderBy('seq')
    .execute();
  return rows
    .map(({ id, content, createdAt }) => {
      const at = createdAt.toISOString();
      return `${JSON.stringify({ id, senderId: 'user', sender: 'user', humanId: 'owner', content, createdAt: at, visible: true })}\n`;
    })
    .join('');
}

export async function expectFaithful(database: Database, room: Room, path = room.path): Promise<void> {
  assert.equal(await readFile(path, 'utf8'), await expectedTranscript(database, room));
}

export async function shownFault(database: Database, room: Room): Promise<string | null> {
  const row = await database.db
    .selectFrom('projects')
    .select('chatLogFault')
    .where('id', '=', room.projectId)
    .executeTakeFirstOrThrow();
  return row.chatLogFault;
}

/** Resolves at the first time that `condition` holds; the test's own time limit ends a wait in vain. */
export async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await new Promise<void>((resolve) => setImmediate(resolve));
}
