import type { DecideProposalBody, Proposal } from '../../contract/proposal.ts';
import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import type { Person } from '../access/person.ts';
import { lockForChange } from '../tasks/lock-task.ts';
import { taskFact } from '../tasks/task-fact.ts';
import { TaskQueries } from '../tasks/task-queries.ts';
import { isAssignable, storeTask } from '../tasks/task-writes.ts';
import { findVisible, requireOpenProject, requireStillOpen } from '../tasks/visible-task.ts';
import { ProposalQueries } from './proposal-queries.ts';
import { chosenParts } from './rules/proposed-parts.ts';

const LISTED = 10;

/** What people do with the parts that agents propose of a task. */
export class ProposalService {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  async list(person: Person, taskId: string): Promise<{ proposals: Proposal[] }> {
    const { db } = this.#database;
    await findVisible(db, person, taskId);
    return { proposals: await new ProposalQueries(db).ofTask(taskId, LISTED) };
  }

  /**
   * Makes tasks of the chosen parts, all or none, or declines them. The same decision again changes nothing and gives
   * what the first has made.
   * @throws AppError proposal_not_found, proposal_resolved: it was decided in another way; invalid_input
   */
  async decide(person: Person, proposalId: string, body: DecideProposalBody): Promise<Proposal> {
    return this.#database.transaction(async (tx) => {
      const proposals = new ProposalQueries(tx.db);
      const found = orMissing(await proposals.find(proposalId));
      const { projectId, taskId } = found;
      const task = await findVisible(tx.db, person, taskId).catch(asNotFound);
      await requireOpenProject(tx.db, person, projectId);
      const assignees = found.parts.map(({ assigneeId }) => assigneeId);
      await lockForChange(tx, task, assignees);
      await requireStillOpen(tx, person, projectId);
      // The project is locked: nobody decides it, or replaces it, meanwhile.
      const proposal = orMissing(await proposals.find(proposalId));
      const state = body.decision === 'accept' ? 'accepted' : 'declined';
      if (proposal.state === state) return proposal;
      if (proposal.state !== 'open') throw resolved(proposal);
      const taskIds = body.decision === 'accept' ? await this.#make(tx, person, proposal, body.chosen) : [];
      await proposals.resolve(proposalId, { state, by: person.id, taskIds, now: await tx.now() });
      await appendChangeEvents(tx, [taskFact(projectId, taskId)]);
      return orMissing(await proposals.find(proposalId));
    });
  }

  /** In todo: those that wait for others begin by themselves, the first when a person says so. */
  async #make(
    tx: Tx,
    { id: personId }: Person,
    { projectId, taskId, parts }: Proposal,
    choices: Extract<DecideProposalBody, { decision: 'accept' }>['chosen'],
  ): Promise<string[]> {
    const chosen = chosenParts(parts, choices);
    if (!chosen) throw new AppError('invalid_input', 'chosen: a part of this number was not proposed.');
    if (!(await new TaskQueries(tx.db).lock(taskId))) throw notFound();
    const now = await tx.now();
    const ids: string[] = [];
    for (const [index, { title, description, assigneeId, dependsOn }] of chosen.entries()) {
      // Who has left meanwhile is not asked to do it.
      const isThere = assigneeId !== undefined && (await isAssignable(tx.db, projectId, assigneeId));
      const { id } = await storeTask(tx, {
        projectId,
        by: { id: personId, personId },
        body: {
          title,
          description,
          status: 'todo',
          parentId: taskId,
          dependsOn: dependsOn.flatMap((n) => ids[n - 1] ?? []),
          ...(isThere && { assigneeId }),
        },
        // Boards and lists show them in their order.
        now: new Date(now.getTime() - chosen.length + 1 + index),
      });
      ids.push(id);
    }
    return ids;
  }
}

function orMissing(proposal: Proposal | undefined): Proposal {
  if (!proposal) throw notFound();
  return proposal;
}

function asNotFound(error: unknown): never {
  throw error instanceof AppError && error.code === 'task_not_found' ? notFound() : error;
}

function notFound(): AppError {
  return new AppError(
    'proposal_not_found',
    'There is no such proposal, or you are not a member of its project.',
  );
}

function resolved({ state, resolvedBy, taskIds }: Proposal): AppError {
  return new AppError('proposal_resolved', 'Somebody has decided on this proposal already.', {
    details: { state, taskIds, ...(resolvedBy !== undefined && { by: resolvedBy }) },
  });
}
