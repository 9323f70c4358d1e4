import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { AgentAction } from '@aizuchi/shared/contract/tools/coordinator-tools';
import { TOOLS, type ToolArguments } from '@aizuchi/shared/contract/tools/tools';
import { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import { createLogger } from '@aizuchi/shared/platform/logger';
import { ScriptedMcpServer } from '@aizuchi/shared/testing/scripted-mcp-server';
import { type AgentAccount, findRunAccounts } from '../src/launch/agent-account.ts';
import { ReportQueue } from '../src/loops/report-queue.ts';
import { RUN_ERRORS } from '../src/texts/run-errors.ts';
import { WorktreeStore } from '../src/worktrees/worktree-store.ts';
import { Worktrees } from '../src/worktrees/worktrees.ts';

const run = promisify(execFile);
const logger = createLogger('test', { level: 'silent' });

/** The last report of a run. */
export type Reported = ToolArguments<'report_changes'>;

/** A real repository as the folder of a project, the worktrees of a home, and a server that hears the reports. */
export class WorktreeWorld {
  readonly home: string;
  readonly project: string;
  readonly server: ScriptedMcpServer;
  readonly account: AgentAccount | undefined;
  worktrees: Worktrees;
  #reports: ReportQueue;
  readonly #client: ToolClient;
  #orders = 0;

  private constructor(root: string, server: ScriptedMcpServer, account: AgentAccount | undefined) {
    this.home = join(root, 'home');
    this.project = join(root, 'project');
    this.server = server;
    this.account = account;
    this.#client = new ToolClient({ url: server.url, token: 't', name: 'test', version: '1' });
    this.#reports = new ReportQueue(this.#client, logger);
    this.worktrees = this.#newWorktrees();
  }

  static async create(): Promise<WorktreeWorld> {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'aizuchi-worktrees-')));
    // As root the agents have another account, which must pass.
    await chmod(root, 0o755);
    const server = await new ScriptedMcpServer({ report_changes: () => ({ accepted: true }) }).start();
    const { agents } = await findRunAccounts(join(root, 'home'));
    const world = new WorktreeWorld(root, server, agents);
    for (const folder of [world.home, world.project]) await mkdir(folder);
    await chmod(world.home, 0o711);
    if (agents) await chown(world.project, agents.uid, agents.gid);
    return world;
  }

  /** As after a crash: another Coordinator of the same home. */
  restart(): void {
    this.worktrees.stop();
    this.#reports.giveUp();
    this.#reports = new ReportQueue(this.#client, logger);
    this.worktrees = this.#newWorktrees();
  }

  #newWorktrees(): Worktrees {
    return new Worktrees({
      store: new WorktreeStore(this.home, logger),
      reports: this.#reports,
      self: { coordinator_id: 'c1', instance_id: 'i1' },
      logger,
      plan: {
        config: {
          mcpUrl: '',
          allowedCommands: ['*'],
          agentEnvNames: [],
          workspaceRoots: [dirname(this.project)],
        },
        accounts: { agents: this.account, runner: this.account },
        texts: RUN_ERRORS.en,
        env: process.env,
      },
    });
  }

  /** git as a person (or an agent) runs it, in the folder of the project unless another is named. */
  async git(args: readonly string[], cwd = this.project): Promise<string> {
    const { stdout } = await run('git', ['-c', 'user.name=P', '-c', 'user.email=p@p', ...args], {
      cwd,
      env: { PATH: process.env.PATH, HOME: dirname(this.project), GIT_CONFIG_NOSYSTEM: '1' },
      ...this.account,
    });
    return stdout.trim();
  }

  /** A repository with these files in a first commit on main. */
  async repository(
    files: Readonly<Record<string, string>> = { 'a.txt': 'one\ntwo\nthree\n' },
  ): Promise<void> {
    await this.git(['init', '-q', '-b', 'main']);
    await this.commit(files, 'first');
  }

  async commit(files: Readonly<Record<string, string>>, message: string): Promise<void> {
    await this.write(files);
    await this.git(['add', '-A']);
    await this.git(['commit', '-q', '-m', message]);
  }

  async write(files: Readonly<Record<string, string>>, folder = this.project): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      const path = join(folder, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
      if (!this.account) continue;
      await chown(dirname(path), this.account.uid, this.account.gid);
      await chown(path, this.account.uid, this.account.gid);
    }
  }

  /** As root the files of a person belong to the account of the agents, too. */
  async own(path: Buffer): Promise<void> {
    if (this.account) await chown(path, this.account.uid, this.account.gid);
  }

  read(name: string, folder = this.project): Promise<string> {
    return readFile(join(folder, name), 'utf8');
  }

  /** The folder in which the run would begin. */
  async start(runId: string, action: Partial<AgentAction> = {}): Promise<string> {
    const order: AgentAction = {
      action: 'start',
      reason: 'has_pending_purpose',
      provider: 'command',
      working_directory: this.project,
      working_directory_made: true,
      worktree: true,
      ...action,
    };
    const ids = { runId, agentId: 'agt_1', projectId: 'prj_1' };
    const prepared = await this.worktrees.prepare(ids, order);
    if (prepared !== order)
      await this.server.waitForCall('report_changes', ({ args }) => args.run_id === runId);
    return prepared.working_directory ?? '';
  }

  /** Orders it, and resolves with what was reported. */
  async order(runId: string, order: 'look' | 'keep' | 'discard', madeFor = runId): Promise<Reported> {
    this.#orders += 1;
    const number = this.#orders;
    this.worktrees.carryOut({ run_id: runId, made_for: madeFor, order, number });
    const call = await this.server.waitForCall('report_changes', ({ args }) => args.number === number);
    return TOOLS.report_changes.input.parse(call.args);
  }

  /** What was reported after the run has ended. */
  async end(runId: string): Promise<Reported> {
    const before = this.server.callsOf('report_changes').length;
    await this.worktrees.ended(runId);
    const call = await this.server.waitForCall(
      'report_changes',
      (one) => this.server.callsOf('report_changes').indexOf(one) >= before,
    );
    return TOOLS.report_changes.input.parse(call.args);
  }

  async close(): Promise<void> {
    await this.server.close();
    await this.#client.close();
    await rm(dirname(this.home), { recursive: true, force: true });
  }
}
