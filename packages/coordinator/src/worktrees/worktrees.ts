import { beginningOf } from '@aizuchi/shared/contract/storable';
import type { AgentAction, WorktreeOrder } from '@aizuchi/shared/contract/tools/coordinator-tools';
import type { ToolInput } from '@aizuchi/shared/contract/tools/tools';
import type { Logger } from '@aizuchi/shared/platform/logger';
import type { PlanOptions, RunIds } from '../launch/launch-plan.ts';
import { StartError } from '../launch/start-error.ts';
import { openWorkingDirectory } from '../launch/working-directory.ts';
import type { ReportQueue } from '../loops/report-queue.ts';
import { changedFiles } from './changed-files.ts';
import { findGit } from './find-git.ts';
import { type Git, GitFailed } from './git.ts';
import { keepWorktree } from './keep-worktree.ts';
import { makeWorktree } from './make-worktree.ts';
import { InTurn } from './one-at-a-time.ts';
import { type PrivateGit, placeOf, privateGitOf, removeFolder } from './private-git.ts';
import { exists, openRepository, type Repository } from './repository.ts';
import { takeSnapshot } from './snapshot.ts';
import { withinLimits } from './within-limits.ts';
import { WorktreeFault } from './worktree-fault.ts';
import type { Worktree, WorktreeStore } from './worktree-store.ts';

export interface WorktreesDeps {
  readonly store: WorktreeStore;
  readonly reports: Pick<ReportQueue, 'send'>;
  readonly self: { readonly coordinator_id: string; readonly instance_id: string };
  readonly logger: Logger;
  readonly plan: Pick<PlanOptions, 'config' | 'accounts' | 'texts' | 'env'>;
}

/** As the server takes it. */
const MOST_OF_A_FAULT = 2_000;

type Report = Omit<
  ToolInput<'report_changes'>,
  'run_id' | 'coordinator_id' | 'instance_id' | 'base' | 'branch' | 'into'
>;

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
  /** Orders that are being carried out or reported, by run. */
  readonly #orders = new Map<string, number>();
  /** One after the other: what is done to one worktree, and what is done to the folder of one project. */
  readonly #inTurn = new InTurn();
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
    // Held open until the worktree is made, and given to the agents when that is allowed.
    const folder = await openWorkingDirectory(project, isMade === true, {
      ...plan,
      account: plan.accounts.agents,
    });
    try {
      const { texts, accounts } = plan;
      const options = { git: await this.#findGit(), store, account: accounts.agents, texts };
      const worktree = await this.#inTurn.run(project, () =>
        makeWorktree({ runId, agentId, project }, options),
      );
      this.#report(worktree, { outcome: 'seen' });
      return { ...action, working_directory: await store.filesOf(runId), working_directory_made: false };
    } finally {
      await folder.close();
    }
  }

  /** The run has ended: no process of it writes any more. What changed is reported; a worktree without changes goes. */
  async ended(runId: string): Promise<void> {
    if (this.#isStopped) return;
    await this.#inTurn.run(runId, async () => {
      const worktree = await this.#deps.store.read(runId);
      if (worktree === undefined) return;
      if (worktree.done) return this.#finish(worktree, worktree.done);
      if (worktree.worktreeGitDir === undefined) return this.#remove(worktree);
      const { report, isUnchanged } = await this.#look(worktree);
      if (isUnchanged) return this.#finish(worktree, 'unchanged');
      this.#report(worktree, report);
    });
  }

  /** The runs of which this home has worktrees. */
  runIds(): Promise<string[]> {
    return this.#deps.store.runIds();
  }

  /** What earlier Coordinators of this home have left; these runs have ended. Never rejects. */
  async recover(runIds: readonly string[]): Promise<void> {
    for (const runId of runIds)
      await this.ended(runId).catch((error: unknown) =>
        this.#deps.logger.error({ err: error, runId }, 'worktree of an earlier run not looked at'),
      );
  }

  /** False when it is being carried out already. */
  carryOut({ run_id: runId, order, number }: WorktreeOrder): boolean {
    if (this.#orders.get(runId) === number || this.#isStopped) return false;
    this.#orders.set(runId, number);
    void this.#inTurn
      .run(runId, () => this.#obey(runId, order, number))
      .catch((error: unknown) => {
        this.#orders.delete(runId);
        this.#deps.logger.error({ err: error, runId, order }, 'order about a worktree not carried out');
      });
    return true;
  }

  /** What is not done is done by the next Coordinator of this home. */
  stop(): void {
    this.#isStopped = true;
  }

  async #obey(runId: string, order: WorktreeOrder['order'], number: number): Promise<void> {
    const { store } = this.#deps;
    const worktree = await store.read(runId);
    if (worktree === undefined) return this.#reportLost(runId, number);
    if (worktree.done) return this.#finish(worktree, worktree.done, number);
    if (order === 'discard') return this.#finish(worktree, 'discarded', number);
    if (!(await exists(await store.filesOf(runId)))) {
      this.#report(worktree, { outcome: 'lost', number });
      return this.#remove(worktree);
    }
    const { report } = order === 'look' ? await this.#look(worktree) : await this.#keep(worktree);
    if (report.outcome === 'kept') {
      const kept = (await store.read(runId)) ?? worktree;
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
    return this.#inTurn.run(worktree.project, () =>
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
        report: { outcome: 'failed', fault: await this.#faultOf(error, worktree) },
        isUnchanged: false,
      };
    }
  }

  /** For people: without paths of our home. */
  async #faultOf(error: unknown, { runId }: Worktree): Promise<string> {
    const { texts } = this.#deps.plan;
    if (error instanceof StartError) return beginningOf(error.message, MOST_OF_A_FAULT);
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
    await this.#forget(git, worktree).catch((error: unknown) =>
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
    const { runId, base, branch, into } = worktree;
    const sent = this.#deps.reports.send(runId, 'report_changes', {
      run_id: runId,
      ...this.#deps.self,
      base,
      branch,
      into,
      ...report,
    });
    return sent.then((outcome) => {
      // The server goes on to name an order of which it has refused the report: it is not carried out again and again.
      if (outcome !== 'refused') this.#forgetOrder(runId, report.number);
      return outcome;
    });
  }

  #reportLost(runId: string, number: number): void {
    void this.#deps.reports
      .send(runId, 'report_changes', {
        run_id: runId,
        ...this.#deps.self,
        base: '',
        branch: '',
        into: null,
        outcome: 'lost',
        number,
      })
      .finally(() => this.#forgetOrder(runId, number));
  }

  #forgetOrder(runId: string, number: number | undefined): void {
    if (this.#orders.get(runId) === number) this.#orders.delete(runId);
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
