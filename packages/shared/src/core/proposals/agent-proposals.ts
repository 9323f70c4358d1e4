import { MAX_PROPOSED_PARTS, type Proposal, type ProposedPart } from '../../contract/proposal.ts';
import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import type { Tx } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { AgentCaller } from '../access/agent-caller.ts';
import { requireOpen } from '../chat/delivery/agent-input.ts';
import { byteQuota, countTextIfRoom, quotaReached } from '../chat/quota/byte-quota.ts';
import { startInChain } from '../conversations/start-in-chain.ts';
import type { ServiceDeps } from '../deps.ts';
import { type CallKey, keepResult, keptResult } from '../idempotency/idempotent-results.ts';
import { noteActivityOfActive } from '../sessions/activity-queries.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { lockForChange } from '../tasks/lock-task.ts';
import { taskFact } from '../tasks/task-fact.ts';
import { TaskQueries } from '../tasks/task-queries.ts';
import { requireAssignable, taskNotFound } from '../tasks/task-writes.ts';
import { ProposalQueries } from './proposal-queries.ts';
import { misplacedPart } from './rules/proposed-parts.ts';

export interface ProposeOrder {
  /** The task of the session when it is left out. */
  readonly taskId?: string | undefined;
  readonly parts: readonly ProposedPart[];
  readonly idempotencyKey?: string | undefined;
}

/** Agents propose how a task of their project is split. Nothing is made before a person has accepted it. */
export class AgentProposals {
  readonly #deps: ServiceDeps;

  constructor(deps: ServiceDeps) {
    this.#deps = deps;
  }

  /**
   * The same parts again are the same proposal; others replace those of this agent. It counts in the chain like a task
   * that is begun, and its text in the byte quota.
   * @throws AppError task_not_found, invalid_input, agent_not_in_project, proposal_open, chain_limit
   */
  async propose(
    caller: AgentCaller,
    { taskId = caller.taskId, parts, ...call }: ProposeOrder,
  ): Promise<Proposal> {
    requireOrder(parts);
    const task = await new TaskQueries(this.#deps.database.db).find(taskId);
    if (task?.projectId !== caller.projectId) throw taskNotFound();
    const quota = await byteQuota(this.#deps);
    const key: CallKey = { tool: 'propose_subtasks', key: call.idempotencyKey };
    return this.#deps.database.transaction(async (tx) => {
      const assignees = [...new Set(parts.flatMap(({ assigneeId }) => assigneeId ?? []))].sort();
      await lockForChange(tx, task, [caller.agentId, ...assignees]);
      for (const assigneeId of assignees) await requireAssignable(tx.db, caller.projectId, assigneeId);
      requireOpen(await new SessionQueries(tx.db).lockById(caller.sessionId));
      const proposals = new ProposalQueries(tx.db);
      const first = await keptResult(tx.db, caller, key);
      const known = first?.proposalId === undefined ? undefined : await proposals.find(first.proposalId);
      if (known) return known;
      if (!(await new TaskQueries(tx.db).lock(taskId))) throw taskNotFound();
      const open = await proposals.findOpen(taskId);
      if (open && isSame(open, caller, parts)) return open;
      if (open && open.agentId !== caller.agentId) throw isOpen(open.agentId);
      const text = parts.map(({ title, description = '' }) => title + description).join('');
      if (!(await countTextIfRoom(this.#deps, tx, caller, { text, quota })))
        throw quotaReached(this.#deps, caller, { quota });
      await startInChain(tx, this.#deps, caller);
      const made = await this.#store(tx, caller, { taskId, parts, replaced: open?.id });
      await keepResult(tx, caller, key, { proposalId: made.id });
      return made;
    });
  }

  async #store(
    tx: Tx,
    { projectId, agentId, sessionId }: AgentCaller,
    {
      taskId,
      parts,
      replaced,
    }: { taskId: string; parts: readonly ProposedPart[]; replaced: string | undefined },
  ): Promise<Proposal> {
    const proposals = new ProposalQueries(tx.db);
    const now = await tx.now();
    if (replaced !== undefined) await proposals.resolve(replaced, { state: 'replaced', by: null, now });
    const id = newId('prp');
    await proposals.insert({ id, projectId, taskId, agentId, parts: [...parts] }, now);
    await appendChangeEvents(tx, [taskFact(projectId, taskId)]);
    await noteActivityOfActive(tx.db, sessionId, now);
    const made = await proposals.find(id);
    if (!made) throw taskNotFound();
    return made;
  }
}

function requireOrder(parts: readonly ProposedPart[]): void {
  if (parts.length === 0 || parts.length > MAX_PROPOSED_PARTS)
    throw new AppError('invalid_input', `subtasks: 1 to ${MAX_PROPOSED_PARTS} of them.`);
  const n = misplacedPart(parts);
  if (n !== undefined)
    throw new AppError(
      'invalid_input',
      `subtasks: number ${n} may only depend on those before it in the list.`,
    );
}

function isSame(open: Proposal, { agentId }: AgentCaller, parts: readonly ProposedPart[]): boolean {
  const shape = (all: readonly Proposal['parts'][number][]) =>
    JSON.stringify(
      all.map(({ title, description, assigneeId, dependsOn }) => [title, description, assigneeId, dependsOn]),
    );
  return open.agentId === agentId && shape(open.parts) === shape(parts);
}

function isOpen(agentId: string): AppError {
  return new AppError(
    'proposal_open',
    'Another agent has proposed parts of this task already, and nobody has decided yet. Leave it to the people.',
    { details: { agentId } },
  );
}
