import type { Reason } from '@aizuchi/shared/contract/reason';
import { beginningOf } from '@aizuchi/shared/contract/storable';
import type { AgentAction, WorktreeOrder } from '@aizuchi/shared/contract/tools/coordinator-tools';
import type { ToolInput } from '@aizuchi/shared/contract/tools/tools';
import type { Logger } from '@aizuchi/shared/platform/logger';
import type { PlanOptions, RunIds } from '../launch/launch-plan.ts';
import { StartError } from '../launch/start-error.ts';
import { openWorkingDirectory } from '../launch/working-directory.ts';
import type { ReportQueue } from '../loops/report-queue.ts';
import type { SaidReason } from '../texts/run-errors.ts';
import { changedFiles } from './changed-files.ts';
import { findGit } from './find-git.ts';
import { type Git, GitFailed } from './git.ts';
import { keepWorktree } from './keep-worktree.ts';
import { KeyedMutex } from './keyed-mutex.ts';
import { makeWorktree, type NewWorktree } from './make-worktree.ts';
import { type PrivateGit, placeOf, privateGitOf, removeFolder } from './private-git.ts';
import { exists, openRepository, type Repository } from './repository.ts';
import { takeSnapshot } from './snapshot.ts';
import { withinLimits } from './within-limits.ts';
import { WorkingRuns } from './working-runs.ts';
import { WorktreeFault } from './worktree-fault.ts';
import { holderOf, type Worktree, type WorktreeStore } from './worktree-store.ts';

export interface WorktreesDeps {
  readonly store: WorktreeStore;
  readonly reports: Pick<ReportQueue, 'send'>;
  readonly self: { readonly coordinator_id: string; readonly instance_id: string };
  readonly logger: Logger;
  readonly plan: Pick<PlanOptions, 'config' | 'accounts' | 'texts' | 'env'>;
}

/** As the server takes it. */
const MAX_FAULT_LENGTH = 2_000;

type Report = Omit<
  ToolInput<'report_changes'>,
  'run_id' | 'made_for' | 'coordinator_id' | 'instance_id' | 'base' | 'branch' | 'into'
>;

/** A worktree by the run that it was made for, and the run that holds it. */
export interface LeftWorktree {
  readonly madeFor: string;
  readonly runId: string;
}

/** What is needed to work on a worktree that exists. */
interface Opened {
  readonly git: Git;
  readonly repository: Repository;
  readonly own: PrivateGit;
  readonly files: string;
}

/** The worktrees of runs on this host: made before a run, looked at, kept or discarded as the server orders. */
export class Worktrees {
  readonly #deps: WorktreesDeps;
  /** Orders that are being carried out or reported, by the run that the worktree was made for, as everything here. */
  readonly #orders = new Map<string, number>();
  /** Of a run that works in a worktree that was made for another one: that one. */
  readonly #madeFor = new Map<string, string>();
  readonly #working = new WorkingRuns();
  /** One after the other: what is done to one worktree, and what is done to the folder of one project. */
  readonly #mutex = new KeyedMutex();
  #isStopped = false;
  #git: Promise<Git> | undefined;

  constructor(deps: WorktreesDeps) {
    this.#deps = deps;
  }

  /**
   * The order to start with the worktree as its folder, when the run is to have one. Throws StartError: then nothing is
   * started, because the agent would work in the folder of the project.
   */
  async prepare({ runId, agentId }: RunIds, action: AgentAction): Promise<AgentAction> {
    const { worktree: isWanted, working_directory: project, working_directory_made: isMade } = action;
    if (!isWanted || !project || action.working_directory_overlaps) return action;
    const { store, plan } = this.#deps;
    this.#working.begin(runId);
    // Held open until the worktree is made, and given to the agents when that is allowed.
    const folder = await openWorkingDirectory(project, isMade === true, {
      ...plan,
      account: plan.accounts.agents,
    });
    try {
      const { worktree_made_for: madeFor } = action;
      const worktree =
        madeFor === undefined
          ? await this.#make({ runId, agentId, project })
          : await this.#takeOver({ runId: madeFor, heldBy: runId, agentId, project });
      this.#report(worktree, { outcome: 'seen' });
      const files = await store.filesOf(worktree.runId);
      return { ...action, working_directory: files, working_directory_made: false };
    } finally {
      await folder.close();
    }
  }

  async #make(wanted: NewWorktree): Promise<Worktree> {
    const { store, plan } = this.#deps;
    const options = { git: await this.#findGit(), store, account: plan.accounts.agents, texts: plan.texts };
    return this.#mutex.run(wanted.project, () => makeWorktree(wanted, options));
  }

  /** The worktree of an interrupted run as it was left; the same folder made again when nothing had changed in it. */
  async #takeOver(wanted: NewWorktree & { heldBy: string }): Promise<Worktree> {
    const { store, plan } = this.#deps;
    const { runId: madeFor, heldBy, project } = wanted;
    const before = await store.read(madeFor);
    // Two runs never work in one worktree.
    if (before && !(await this.#working.over(holderOf(before))))
      throw new StartError(plan.texts.worktreeInUse(project));
    return this.#mutex.run(madeFor, async () => {
      const left = await store.read(madeFor);
      if (left !== undefined && left.project !== project)
        throw new StartError(plan.texts.worktreeOfOtherFolder(left.project));
      this.#madeFor.set(heldBy, madeFor);
      const isWhole = left?.worktreeGitDir !== undefined && left.done === undefined;
      if (left === undefined || !isWhole || !(await exists(await store.filesOf(madeFor)))) {
        if (left !== undefined) await this.#remove(left);
        return this.#make(wanted);
      }
      const taken = { ...left, heldBy };
      await store.write(taken);
      return taken;
    });
  }

  /** This run is left from an earlier Coordinator, and is being ended. */
  working(runId: string): void {
    this.#working.begin(runId);
  }

  /**
   * The run has ended. What changed is reported; a worktree without changes goes. `isAnyLeft`: a process of it could not
   * be ended.
   */
  async ended(runId: string, isAnyLeft = false): Promise<void> {
    this.#working.end(runId, isAnyLeft);
    const madeFor = this.#madeFor.get(runId) ?? runId;
    this.#madeFor.delete(runId);
    if (!this.#isStopped) await this.#settle(madeFor, runId);
  }

  /** What is left of a run that has ended, unless another one has taken it over. */
  async #settle(madeFor: string, runId: string): Promise<void> {
    await this.#mutex.run(madeFor, async () => {
      const worktree = await this.#deps.store.read(madeFor);
      if (worktree === undefined || holderOf(worktree) !== runId) return;
      if (worktree.done) return this.#finish(worktree, worktree.done);
      if (worktree.worktreeGitDir === undefined) return this.#remove(worktree);
      const { report, isUnchanged } = await this.#look(worktree);
      if (isUnchanged) return this.#finish(worktree, 'unchanged');
      this.#report(worktree, report);
    });
  }

  /**
   * The worktrees that earlier Coordinators of this home have left, with the runs that hold them. Read before a run is
   * started or ended.
   */
  async left(): Promise<LeftWorktree[]> {
    const { store } = this.#deps;
    const left: LeftWorktree[] = [];
    for (const madeFor of await store.madeFor()) {
      const worktree = await store.read(madeFor);
      const runId = worktree === undefined ? madeFor : holderOf(worktree);
      if (runId !== madeFor) this.#madeFor.set(runId, madeFor);
      left.push({ madeFor, runId });
    }
    return left;
  }

  /** What earlier Coordinators of this home have left; these runs have ended. Never rejects. */
  async recover(left: readonly LeftWorktree[]): Promise<void> {
    for (const { madeFor, runId } of left)
      await this.#settle(madeFor, runId).catch((error: unknown) =>
        this.#deps.logger.error({ err: error, runId }, 'worktree of an earlier run not looked at'),
      );
  }

  /** False when it is being carried out already. */
  carryOut(asked: WorktreeOrder): boolean {
    const { run_id: runId, made_for: madeFor = runId, order, number } = asked;
    if (this.#orders.get(madeFor) === number || this.#isStopped) return false;
    this.#orders.set(madeFor, number);
    void this.#mutex
      .run(madeFor, () => this.#obey({ ...asked, made_for: madeFor }))
      .catch((error: unknown) => {
        this.#orders.delete(madeFor);
        this.#deps.logger.error({ err: error, runId, order }, 'order about a worktree not carried out');
      });
    return true;
  }

  /** What is not done is done by the next Coordinator of this home. */
  stop(): void {
    this.#isStopped = true;
  }

  async #obey(asked: WorktreeOrder & { made_for: string }): Promise<void> {
    const { run_id: runId, made_for: madeFor, order, number } = asked;
    const { store } = this.#deps;
    const found = await store.read(madeFor);
    if (found === undefined) return this.#reportLost(asked);
    // The run that was to take it over has ended before it did.
    const worktree = holderOf(found) === runId ? found : { ...found, heldBy: runId };
    if (worktree.done) return this.#finish(worktree, worktree.done, number);
    if (order === 'discard') return this.#finish(worktree, 'discarded', number);
    if (!(await exists(await store.filesOf(madeFor)))) {
      this.#report(worktree, { outcome: 'lost', number });
      return this.#remove(worktree);
    }
    const { report } = order === 'look' ? await this.#look(worktree) : await this.#keep(worktree);
    if (report.outcome === 'kept') {
      const kept = (await store.read(madeFor)) ?? worktree;
      return this.#finish(kept, 'kept', number, report);
    }
    this.#report(worktree, { ...report, number });
  }

  /** What it holds now; a fault instead when it cannot be told. */
  async #look(worktree: Worktree): Promise<{ report: Report; isUnchanged: boolean }> {
    return this.#orFault(worktree, async () => {
      const opened = await this.#open(worktree);
      const { seen, tree, baseTree } = await this.#see(worktree, opened);
      const isUnchanged = tree === baseTree && seen.leftOut.length === 0;
      return { report: { outcome: 'seen' as const, seen }, isUnchanged };
    });
  }

  async #keep(worktree: Worktree): Promise<{ report: Report; isUnchanged: boolean }> {
    return this.#mutex.run(worktree.project, () =>
      this.#orFault(worktree, async () => {
        const opened = await this.#open(worktree);
        const { seen, tree } = await this.#see(worktree, opened);
        const result = await keepWorktree({
          ...opened,
          worktree,
          tree,
          onMerge: (merge) => this.#deps.store.write({ ...worktree, merge }),
        });
        const outcome = result.kept ? ('kept' as const) : ('conflict' as const);
        const report = { outcome, seen, ...(!result.kept && { conflict: result.conflict }) };
        return { report, isUnchanged: false };
      }),
    );
  }

  async #see(worktree: Worktree, { git, repository, own, files }: Opened) {
    const place = { ...(await placeOf(own, repository, { index: own.index })), workTree: files };
    const { tree, leftOut } = await takeSnapshot(git, {
      place,
      base: worktree.base,
      agentIndex: worktree.worktreeGitDir && `${worktree.worktreeGitDir}/index`,
      excludeFile: repository.excludeFile,
    });
    const baseTree = await git.text(['rev-parse', `${worktree.base}^{tree}`], { place });
    const changed = await changedFiles(git, place, worktree.base, tree);
    return { tree, baseTree, seen: { ...changed, leftOut: withinLimits(leftOut, ({ path }) => path) } };
  }

  async #open(worktree: Worktree): Promise<Opened> {
    const { store, plan } = this.#deps;
    const git = await this.#findGit();
    return {
      git,
      repository: await openRepository(git, worktree.project, plan.texts),
      own: privateGitOf(await store.folderOf(worktree.runId)),
      files: await store.filesOf(worktree.runId),
    };
  }

  async #orFault(
    worktree: Worktree,
    work: () => Promise<{ report: Report; isUnchanged: boolean }>,
  ): Promise<{ report: Report; isUnchanged: boolean }> {
    try {
      return await work();
    } catch (error) {
      this.#deps.logger.warn({ err: error, runId: worktree.runId }, 'worktree not looked at');
      return {
        report: { outcome: 'failed', ...(await this.#faultOf(error, worktree)) },
        isUnchanged: false,
      };
    }
  }

  /** For people: without paths of our home. */
  async #faultOf(error: unknown, worktree: Worktree): Promise<{ fault: string; reason: Reason }> {
    const { text, reason } = await this.#reasonOf(error, worktree);
    return { fault: beginningOf(text, MAX_FAULT_LENGTH), reason };
  }

  async #reasonOf(error: unknown, { runId }: Worktree): Promise<SaidReason> {
    const { texts } = this.#deps.plan;
    if (error instanceof StartError) return error.said;
    if (error instanceof WorktreeFault)
      return error.kind === 'tooMany'
        ? texts.tooManyChanges(error.count)
        : texts.changesTooLarge(error.count);
    if (!(error instanceof GitFailed)) return texts.worktreeNotReadable('internal error');
    const folder = await this.#deps.store.folderOf(runId);
    return texts.worktreeNotReadable(beginningOf(error.message.replaceAll(folder, '…'), 500));
  }

  /** It is written down first: a crash leaves it to the next Coordinator, which reports the same. */
  async #finish(
    worktree: Worktree,
    done: NonNullable<Worktree['done']>,
    number?: number,
    report?: Report,
  ): Promise<void> {
    const finished = { ...worktree, done };
    await this.#deps.store.write(finished);
    const outcome = await this.#report(finished, {
      ...report,
      outcome: done,
      ...(number !== undefined && { number }),
    });
    // What the server does not know is reported by the next Coordinator of this home.
    if (outcome === 'accepted' || outcome === 'lost') await this.#remove(finished);
  }

  /** Its files, its entry and branch in the repository, and last what says that it exists. */
  async #remove(worktree: Worktree): Promise<void> {
    const { store } = this.#deps;
    const git = await this.#findGit();
    await removeFolder(git, await store.filesOf(worktree.runId));
    // git removes its empty folder of worktrees, in which it may be making that of another run.
    await this.#mutex
      .run(worktree.project, () => this.#forget(git, worktree))
      .catch((error: unknown) =>
        // The repository may be gone; the folder is ours and goes all the same.
        this.#deps.logger.warn(
          { err: error, runId: worktree.runId },
          'worktree not removed from its repository',
        ),
      );
    await removeFolder(git, await store.folderOf(worktree.runId));
  }

  async #forget(git: Git, worktree: Worktree): Promise<void> {
    const repository = await openRepository(git, worktree.project, this.#deps.plan.texts);
    const place = { gitDir: repository.gitDir };
    const files = await this.#deps.store.filesOf(worktree.runId);
    await git.run(['worktree', 'remove', '--force', '--force', files], { place, expected: [0, 128] });
    await git.run(['update-ref', '-d', `refs/heads/${worktree.branch}`], { place });
  }

  #report(worktree: Worktree, report: Report): ReturnType<ReportQueue['send']> {
    const { runId: madeFor, base, branch, into } = worktree;
    const runId = holderOf(worktree);
    const sent = this.#deps.reports.send(runId, 'report_changes', {
      run_id: runId,
      ...(runId !== madeFor && { made_for: madeFor }),
      ...this.#deps.self,
      base,
      branch,
      into,
      ...report,
    });
    return sent.then((outcome) => {
      // The server goes on to name an order of which it has refused the report: it is not carried out again and again.
      if (outcome !== 'refused') this.#forgetOrder(madeFor, report.number);
      return outcome;
    });
  }

  #reportLost({ run_id: runId, made_for: madeFor, number }: WorktreeOrder & { made_for: string }): void {
    void this.#deps.reports
      .send(runId, 'report_changes', {
        run_id: runId,
        made_for: madeFor,
        ...this.#deps.self,
        base: '',
        branch: '',
        into: null,
        outcome: 'lost',
        number,
      })
      .finally(() => this.#forgetOrder(madeFor, number));
  }

  #forgetOrder(madeFor: string, number: number | undefined): void {
    if (this.#orders.get(madeFor) === number) this.#orders.delete(madeFor);
  }

  /** Looked for once it is needed, and again after it was missing. */
  #findGit(): Promise<Git> {
    const { env, accounts, texts } = this.#deps.plan;
    this.#git ??= findGit(env.PATH ?? '', accounts.agents, texts).catch((error: unknown) => {
      this.#git = undefined;
      throw error;
    });
    return this.#git;
  }
}
