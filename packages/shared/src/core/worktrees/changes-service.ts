import type { Changes, DecideChangesBody } from '../../contract/changes.ts';
import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import { keys } from '../../platform/change-log/keys.ts';
import { AppError } from '../../platform/errors.ts';
import { type Person, requireWriter, requireWriterNow } from '../access/person.ts';
import { COORDINATOR_SILENT_MS } from '../coordinators/coordinator-alive.ts';
import type { ServiceDeps } from '../deps.ts';
import type { RunRecord } from '../runs/run-queries.ts';
import { findVisibleRun } from '../runs/visible-run.ts';
import { conflictError, coordinatorAway, refusal, toChanges, worktreeNotFound } from './changes-view.ts';
import { ChangesWaiter } from './changes-waiter.ts';
import {
  decideWorktree,
  isCarriedOut,
  isUndecided,
  type WorktreeDecision,
  type WorktreeOrder,
} from './rules/worktree-machine.ts';
import {
  findWorktree,
  isCoordinatorSeen,
  lockWorktree,
  readFiles,
  setOrdered,
  type WorktreeRecord,
} from './worktree-queries.ts';

/** A look at a worktree whose run lives serves so long. */
const FRESH_MS = 3_000;
/** A look is given up after this; a decision takes longer when the folder is large. */
const LOOK_TIMEOUT_MS = 20_000;
const DECISION_TIMEOUT_MS = 45_000;

/** Called when nothing is waited for any more, before the files are read. */
type OnRead = () => Promise<void> | undefined;

/** What runs changed in their worktrees, and what people decide about it. The work is done by Coordinators. */
export class ChangesService {
  readonly #deps: ServiceDeps;
  readonly #waiter = new ChangesWaiter();

  constructor(deps: ServiceDeps) {
    this.#deps = deps;
  }

  /** For the listener of the process. */
  onKeys(changed: readonly string[]): void {
    this.#waiter.onKeys(changed);
  }

  /**
   * What changed; asks the Coordinator unless what is known is current. What is known is better than nothing: only
   * when nothing was seen yet is a Coordinator that is away an error (unavailable).
   */
  async get(person: Person, runId: string, onRead?: OnRead): Promise<Changes> {
    const run = await findVisibleRun(this.#deps.database.db, person, runId);
    let worktree = await this.#worktreeOf(run);
    if (await this.#isOutdated(worktree, run)) {
      const isAlive = await this.#isAlive(worktree);
      if (isAlive) worktree = await this.#look(run, worktree);
      const isKnown = worktree.seenAt !== null || worktree.fault !== null || !isUndecided(worktree.state);
      if (!isKnown) throw coordinatorAway(worktree, isAlive);
    }
    return this.#answer(worktree, onRead);
  }

  /**
   * The first decision counts. Resolves when the Coordinator has carried it out. Idempotent. 403 forbidden, 409
   * run_not_ended, changes_already_decided, changes_conflict (nothing was touched), 503 unavailable.
   */
  async decide(
    person: Person,
    runId: string,
    { decision }: DecideChangesBody,
    onRead?: OnRead,
  ): Promise<Changes> {
    const run = await findVisibleRun(this.#deps.database.db, person, runId);
    requireWriter(person);
    const worktree = await this.#worktreeOf(run);
    if (isUndecided(worktree.state) && !(await this.#isAlive(worktree)))
      throw coordinatorAway(worktree, false);
    await this.#orderDecision(person, run, decision);
    const settled = await this.#until(run, DECISION_TIMEOUT_MS, ({ order }) => order !== decision);
    if (settled.order === decision) throw coordinatorAway(settled, true);
    if (settled.fault !== null && isUndecided(settled.state))
      throw new AppError('unavailable', settled.fault);
    if (settled.state === 'conflict' && settled.conflict) throw conflictError(settled.conflict);
    if (!isUndecided(settled.state) && !isCarriedOut(settled.state, decision))
      throw refusal('changes_already_decided', settled);
    return this.#answer(settled, onRead);
  }

  async #answer(worktree: WorktreeRecord, onRead?: OnRead): Promise<Changes> {
    await onRead?.();
    return toChanges(worktree, await readFiles(this.#deps.database.db, worktree.runId));
  }

  async #worktreeOf({ id }: RunRecord): Promise<WorktreeRecord> {
    const worktree = await findWorktree(this.#deps.database.db, id);
    if (worktree === null) throw worktreeNotFound();
    return worktree;
  }

  async #orderDecision(person: Person, run: RunRecord, decision: WorktreeDecision): Promise<void> {
    await this.#deps.database.transaction(async (tx) => {
      const worktree = await lockWorktree(tx.db, run.id);
      if (worktree === null) throw worktreeNotFound();
      await requireWriterNow(tx, person, run.projectId);
      const result = decideWorktree(worktree, decision, run.state === 'exited');
      if (result.type === 'refused') throw refusal(result.code, worktree);
      if (result.type === 'same') return;
      const now = await tx.now();
      await setOrdered(tx.db, { runId: run.id, kind: decision, decidedBy: person.id, now });
      tx.dirty(keys.work);
      await appendChangeEvents(tx, [
        { kind: 'run', projectId: run.projectId, ref: { runId: run.id, agentId: run.agentId } },
      ]);
    });
  }

  /** The worktree after the Coordinator has looked, or as it is known when that takes too long. */
  async #look(run: RunRecord, known: WorktreeRecord): Promise<WorktreeRecord> {
    const number = await this.#deps.database.transaction(async (tx) => {
      const worktree = await lockWorktree(tx.db, run.id);
      if (worktree === null || !isUndecided(worktree.state)) return null;
      if (worktree.order === null) {
        await setOrdered(tx.db, { runId: run.id, kind: LOOK, decidedBy: null, now: await tx.now() });
        tx.dirty(keys.work);
      }
      return worktree.order === null ? worktree.orderNumber + 1 : worktree.orderNumber;
    });
    if (number === null) return known;
    return this.#until(
      run,
      LOOK_TIMEOUT_MS,
      (worktree) => worktree.order === null || worktree.orderNumber !== number,
    );
  }

  async #until(
    run: RunRecord,
    timeoutMs: number,
    isDone: (worktree: WorktreeRecord) => boolean,
  ): Promise<WorktreeRecord> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const worktree = await this.#worktreeOf(run);
      if (isDone(worktree) || performance.now() > deadline) return worktree;
      await this.#waiter.wait(run.projectId);
    }
  }

  /** What its run wrote after the last look is not known. */
  async #isOutdated(worktree: WorktreeRecord, { state, endedAt }: RunRecord): Promise<boolean> {
    if (!isUndecided(worktree.state)) return false;
    if (worktree.seenAt === null) return true;
    if (state === 'exited' && endedAt !== null) return worktree.seenAt < endedAt;
    const now = await this.#deps.database.now();
    return now.getTime() - worktree.seenAt.getTime() > FRESH_MS;
  }

  async #isAlive({ coordinatorId }: WorktreeRecord): Promise<boolean> {
    const { database } = this.#deps;
    const since = new Date((await database.now()).getTime() - COORDINATOR_SILENT_MS);
    return isCoordinatorSeen(database.db, coordinatorId, since);
  }
}

const LOOK: WorktreeOrder = 'look';
