import type { ImportProjectQuery, ProjectImportResult } from '../../../contract/transfer.ts';
import { keys } from '../../../platform/change-log/keys.ts';
import type { Queryable, Tx } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { Turnstile } from '../../../platform/http/turnstile.ts';
import { appendAudit } from '../../access/audit-queries.ts';
import { type Person, requireOwner } from '../../access/person.ts';
import { currentAccessLevel } from '../../access/person-queries.ts';
import { AgentQueries } from '../../agents/agent-queries.ts';
import { lockNames } from '../../agents/name-lock-queries.ts';
import { requireFreeName } from '../../agents/names.ts';
import { LineFault, linesOf } from '../../memory/import/ndjson-lines.ts';
import { setUpMember } from '../../removal/remove.ts';
import { ProjectQueries } from '../project-queries.ts';
import type { ProjectService } from '../project-service.ts';
import { matchAgents } from '../rules/match-agents.ts';
import {
  agentsNamed,
  allowLongTransaction,
  insertAttempts,
  insertChanges,
  insertComments,
  insertContexts,
  insertDependencies,
  insertTasks,
  setParents,
} from './import-queries.ts';
import { type AgentsHere, type ImportedRows, importedRows } from './imported-rows.ts';
import { type Transfer, TransferReader } from './read-transfer.ts';

const LINE_BYTES = 1_048_576;
/** It is in memory as a whole before the transaction begins, which must not wait for a client. */
const MAX_BYTES = 32 * 1_048_576;
/**
 * Each is a row: every reader of the change log waits for the end of the transaction, some seconds for so many
 * (architecture.md, "why the horizon").
 */
const MAX_LINES = 100_000;
const TRANSACTION_SECONDS = 15;
/** Rows of one statement. */
const BATCH_ROWS = 1_000;
const IMPORTS = {
  perCaller: 1,
  total: 1,
  waiting: 5,
  refusal: 'Too many imports at once. Wait for those that run.',
};

/**
 * Makes a project of the lines of an export, or nothing. It is paused: nothing of it starts to work before an owner makes it
 * active.
 */
export class ProjectImport {
  readonly #projects: ProjectService;
  readonly #turnstile = new Turnstile(IMPORTS);

  constructor(projects: ProjectService) {
    this.#projects = projects;
  }

  /**
   * @throws AppError import_invalid: `details` name the line and what is wrong with it; payload_too_large; id_taken:
   * this id was used before, maybe by the same import.
   */
  async run(
    person: Person,
    { id }: ImportProjectQuery,
    body: AsyncIterable<Uint8Array>,
  ): Promise<ProjectImportResult> {
    requireOwner(person);
    if (id !== undefined) await this.#projects.requireFreeId(id);
    let leave: () => void = () => undefined;
    await this.#turnstile.enter(person.id, (whenDone) => {
      leave = whenDone;
    });
    try {
      const transfer = await read(body);
      const { name, description, permissionPolicy, isolation, egress } = transfer.project;
      const about = {
        name,
        description,
        permissionPolicy,
        isolation,
        egress,
        ...(id !== undefined && { id }),
      };
      const { filled } = await this.#projects.createWith(person, about, (tx, projectId) =>
        fill(tx, { person, projectId, transfer }),
      );
      return filled;
    } finally {
      leave();
    }
  }
}

async function read(body: AsyncIterable<Uint8Array>): Promise<Transfer> {
  const reader = new TransferReader();
  try {
    for await (const line of linesOf(bounded(body), LINE_BYTES)) {
      if (line.number > MAX_LINES)
        throw new AppError('payload_too_large', `A project of at most ${MAX_LINES} lines can be imported.`);
      reader.add(line);
    }
    return reader.finish();
  } catch (error) {
    if (!(error instanceof LineFault)) throw error;
    throw new AppError('import_invalid', `Line ${error.line} is not valid: ${error.fault}.`, {
      details: { line: error.line, reason: error.fault },
    });
  }
}

async function* bounded(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > MAX_BYTES)
      throw new AppError(
        'payload_too_large',
        `A project of at most ${MAX_BYTES / 1_048_576} MiB can be imported.`,
      );
    yield piece;
  }
}

interface Order {
  readonly person: Person;
  readonly projectId: string;
  readonly transfer: Transfer;
}

async function fill(tx: Tx, { person, projectId, transfer }: Order): Promise<ProjectImportResult> {
  // The upload may have lasted minutes.
  requireOwner({ ...person, accessLevel: (await currentAccessLevel(tx.db, person.id)) ?? 'viewer' });
  await allowLongTransaction(tx.db, TRANSACTION_SECONDS);
  const { agents, members, owners, unmatched } = await whoIsHere(tx.db, transfer);
  const rows = importedRows(transfer, agents, await tx.now());
  await store(tx.db, { projectId, startedBy: person.id }, rows);
  // Last, because others wait for these locks.
  await lockNames(tx.db);
  const now = await tx.now();
  const reviewer = agents.find(transfer.project.reviewerId) ?? null;
  const reviewerId = reviewer !== null && agents.isAssignable(reviewer) ? reviewer : null;
  await new ProjectQueries(tx.db).update(projectId, { status: 'paused', reviewerId }, now);
  await requireStillThere(tx, [...members, ...owners]);
  for (const agentId of members) await addMember(tx, { projectId, agentId, now });
  const counts = {
    members: members.length,
    tasks: rows.tasks.length,
    comments: rows.comments.length,
    history: rows.history.length,
    attempts: rows.attempts.length,
    contexts: rows.contexts.length,
  };
  const { tasks } = counts;
  const audit = { actorId: person.id, action: 'project.imported', targetId: projectId, projectId } as const;
  await appendAudit(tx.db, { ...audit, details: { tasks } });
  tx.dirty(keys.work);
  return { projectId, counts, unmatched };
}

async function whoIsHere(db: Queryable, { agents }: Transfer) {
  const here = await agentsNamed(
    db,
    agents.map(({ name }) => name),
  );
  const matches = matchAgents(agents, here);
  const members = agents.flatMap(({ id, member }) => (member ? (matches.get(id) ?? []) : [])).sort();
  const names = new Map(agents.map(({ id, name }) => [id, name]));
  const meant = new Set(matches.values());
  const owners = here.flatMap(({ id, isOwner }) => (isOwner && meant.has(id) ? [id] : []));
  const assignable = new Set([...members, ...owners]);
  const found: AgentsHere = {
    find: (id) => (id === undefined ? undefined : matches.get(id)),
    nameOf: (id) => names.get(id) ?? id,
    isAssignable: (id) => assignable.has(id),
  };
  const unmatched = agents.filter(({ id }) => !matches.has(id)).map(({ name }) => name);
  return { agents: found, members, owners, unmatched: [...new Set(unmatched)] };
}

/** Locks all whose work may be in the project, in the order of their ids. @throws AppError agent_not_found */
async function requireStillThere(tx: Tx, agentIds: readonly string[]): Promise<void> {
  const agents = new AgentQueries(tx.db);
  // Deleted meanwhile: the import sees it when it is tried again.
  for (const id of [...new Set(agentIds)].sort())
    if (!(await agents.lock(id)))
      throw new AppError('agent_not_found', 'An agent of this project was deleted meanwhile. Try again.');
}

/** The agent is locked. */
async function addMember(
  tx: Tx,
  { projectId, agentId, now }: { projectId: string; agentId: string; now: Date },
): Promise<void> {
  const agent = await new AgentQueries(tx.db).find(agentId);
  if (!agent) return;
  await new ProjectQueries(tx.db).addMember(projectId, agentId, now);
  await requireFreeName(tx, agent, { of: 'project', projectId });
  if (agent.type === 'ai') await setUpMember(tx, { projectId, agentId });
  tx.dirty(keys.caller(agentId));
}

async function store(
  db: Queryable,
  into: { readonly projectId: string; readonly startedBy: string },
  rows: ImportedRows,
): Promise<void> {
  await inBatches(rows.tasks, (batch) => insertTasks(db, into, batch));
  await inBatches(rows.parents, (batch) => setParents(db, batch));
  await inBatches(rows.dependencies, (batch) => insertDependencies(db, batch));
  await inBatches(rows.comments, (batch) => insertComments(db, batch));
  await inBatches(rows.history, (batch) => insertChanges(db, batch));
  await inBatches(rows.attempts, (batch) => insertAttempts(db, batch));
  await inBatches(rows.contexts, (batch) => insertContexts(db, batch));
}

async function inBatches<T>(
  rows: readonly T[],
  insert: (batch: readonly T[]) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < rows.length; start += BATCH_ROWS)
    await insert(rows.slice(start, start + BATCH_ROWS));
}
