import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { transcriptLine } from '../platform/transcript/transcript-line.ts';
import { INVARIANTS, ON_REAL_TIME, WHEN_SETTLED } from './invariant-queries.ts';
import { processViolations } from './run-processes.ts';

export interface InvariantOptions {
  /** Compare every live project's chat.jsonl with the database (I-7); needs the files of this host. */
  readonly files?: boolean;
  /** Processes and time are real: look at those of this host for runs that are over (I-8; Linux only). */
  readonly real?: boolean;
  /** Everything has come to rest and the sweeper has run: nobody may be waited for without a wake-up. */
  readonly settled?: boolean;
}

/** What holds in every state of the database, as numbered queries; each violation in words, none when all hold. */
export async function checkInvariants(database: Database, options: InvariantOptions = {}): Promise<string[]> {
  const { files = true, real = false, settled = false } = options;
  const checks = { ...INVARIANTS, ...(settled && WHEN_SETTLED), ...(real && ON_REAL_TIME) };
  const found: string[] = [];
  for (const [name, query] of Object.entries(checks)) {
    const { rows } = await sql<{ violation: string }>`${sql.raw(query)}`.execute(database.db);
    found.push(...rows.map(({ violation }) => `${name}: ${violation}`));
  }
  if (files) found.push(...(await transcriptViolations(database)));
  if (real) found.push(...(await processViolations(database)));
  return found;
}

/** I-7: chat.jsonl is the thread, line by line, and every line has the place that the database gave it. */
async function transcriptViolations(database: Database): Promise<string[]> {
  const threads = await database.db
    .selectFrom('chatThreads as t')
    .innerJoin('projects as p', 'p.id', 't.projectId')
    .select(['t.projectId', 't.agentId', 't.logBytes', 'p.workingDirectory'])
    .where('p.status', '<>', 'archived')
    .where('p.deletedAt', 'is', null)
    .where('t.conversationId', 'is', null)
    .where('t.logBytes', '>', 0)
    .execute();
  const found: string[] = [];
  for (const thread of threads) {
    const name = `I-7 chat.jsonl of ${thread.agentId} in ${thread.projectId}`;
    const lines = await linesOf(database, thread);
    let offset = 0;
    for (const { id, logOffset, line } of lines) {
      if (logOffset !== offset)
        found.push(`${name}: ${id} has its place at ${logOffset} instead of ${offset}`);
      offset = logOffset + Buffer.byteLength(line);
    }
    if (thread.logBytes !== offset)
      found.push(`${name}: should have ${thread.logBytes} bytes, its lines have ${offset}`);
    const file = path.join(thread.workingDirectory, '.ai-pm', 'agents', thread.agentId, 'chat.jsonl');
    const text = await readFile(file, 'utf8').catch(
      (error: NodeJS.ErrnoException) => error.code ?? 'unreadable',
    );
    if (text !== lines.map(({ line }) => line).join(''))
      found.push(`${name}: is not the thread (${text.length} bytes)`);
  }
  return found;
}

async function linesOf(
  database: Database,
  thread: { projectId: string; agentId: string },
): Promise<{ id: string; logOffset: number; line: string }[]> {
  const rows = await database.db
    .selectFrom('chatMessages')
    .select(['id', 'senderId', 'sender', 'humanId', 'receiverId', 'content', 'createdAt', 'visible'])
    .select(['conversationId', 'relatedTaskId', 'logOffset', 'agentId', 'peerLogOffset'])
    .where('projectId', '=', thread.projectId)
    .where((where) =>
      where.or([where('agentId', '=', thread.agentId), where('peerAgentId', '=', thread.agentId)]),
    )
    .execute();
  const lines = rows.map(({ logOffset, createdAt, sender, agentId, peerLogOffset, receiverId, ...row }) => ({
    id: row.id,
    logOffset: agentId === thread.agentId ? logOffset : (peerLogOffset ?? -1),
    line: transcriptLine({
      ...row,
      // In the file of the one who got it, it goes without saying.
      receiverId: agentId === thread.agentId ? receiverId : null,
      sender: sender === 'user' || sender === 'agent' ? sender : 'system',
      createdAt: createdAt.toISOString(),
    }),
  }));
  return lines.sort((a, b) => a.logOffset - b.logOffset);
}
