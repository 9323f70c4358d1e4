import { CompiledQuery } from 'kysely';
import type { Database } from '../../../platform/db/database.ts';
import type { AgentCaller } from '../../access/agent-caller.ts';
import { SessionQueries } from '../../sessions/session-queries.ts';

/*
 * All parts of one statement read the state of its beginning, also after it has waited for a row. So a statement that
 * locks the session, and then reads rows that others change under that lock, would go on with what was true before.
 * Such a statement locks the session only in the version that it has read (SEEN_VERSION): every change of these rows
 * updates the row of the session too.
 */

/** The version of a row of agent_sessions `s`; it is another one after each update. */
export const SEEN_VERSION = 's.xmin as version';
/** For an update of agent_sessions `s` with a row of `seen`. An update that has waited checks it on the newest row. */
export const IS_SEEN = 's.id = seen.id and s.xmin = seen.version';

/**
 * Runs such a statement. If the session was changed while it waited, it has done nothing, `isStale` says so, and it runs
 * again in a transaction that has locked the session first. The rows are as the statement names them.
 */
export async function statementOfSession<R extends object>(
  database: Database,
  { projectId, agentId, sessionId }: AgentCaller,
  query: { readonly name: string; readonly text: string; readonly values: unknown[] },
  isStale: (row: R) => boolean | undefined,
): Promise<R | undefined> {
  const [row] = await database.statement<R>(query);
  if (!row || !isStale(row)) return row;
  return database.transaction(async (tx) => {
    const sessions = new SessionQueries(tx.db);
    await sessions.lockMembership(projectId, agentId);
    await sessions.lockById(sessionId);
    const { rows } = await tx.db
      .withoutPlugins()
      .executeQuery<R>(CompiledQuery.raw(query.text, query.values));
    return rows[0];
  });
}
