import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import { ToolRefused, ToolUnreachable } from '@aizuchi/shared/mcp-client/tool-errors';
import type { CoordinatorConfig } from '@aizuchi/shared/platform/config/config';
import { createLogger, type Logger } from '@aizuchi/shared/platform/logger';
import type { Executor } from './executor/executor.ts';
import { executorOf, makeExecutor, planForExecutor } from './executor/make-executor.ts';
import { buildHealthServer } from './health-server.ts';
import { findRunAccounts, withHome } from './launch/agent-account.ts';
import { ClaudeFinder } from './launch/claude/claude-finder.ts';
import type { Spares } from './launch/spare-pool.ts';
import { SpareRunners } from './launch/spare-runners.ts';
import { AskActions } from './loops/ask-actions.ts';
import { MemoryReadings } from './loops/memory-readings.ts';
import { ReportQueue } from './loops/report-queue.ts';
import { createMetrics } from './metrics.ts';
import { readBootId } from './process/proc-table.ts';
import { ProgramFinder } from './programs/program-finder.ts';
import { ProgramReports } from './programs/program-reports.ts';
import { chooseMarkMethod } from './run-mark/mark-method.ts';
import { RunTable } from './run-table.ts';
import { instanceIdOf } from './state/instance-id.ts';
import { RunJournal } from './state/run-journal.ts';
import { RUN_ERRORS } from './texts/run-errors.ts';
import { WorktreeStore } from './worktrees/worktree-store.ts';
import { Worktrees } from './worktrees/worktrees.ts';

const VERSION = '0.1.0';

/**
 * Made by the package's own `bundle` script. The supervisor can name a copy that the accounts of agents can
 * read.
 */
const DEFAULT_BUNDLE = fileURLToPath(new URL('../../agent-runner/dist/runner.mjs', import.meta.url));
const READY_TIMEOUT_MS = 2_000;

export interface CoordinatorContext {
  readonly logger: Logger;
  readonly client: ToolClient;
  readonly reports: ReportQueue;
  readonly runs: RunTable;
  readonly spares: Spares;
  readonly worktrees: Worktrees;
  readonly askActions: AskActions;
  readonly health: ReturnType<typeof buildHealthServer>;
}

/** All parts of this process, built once from its configuration; nothing runs yet. */
export async function buildContext(
  config: CoordinatorConfig,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<CoordinatorContext> {
  const logger = createLogger('coordinator', { level: config.logLevel });
  const host = hostname();
  const bootId = await readBootId();
  const instanceId = await instanceIdOf(config.home);
  const accounts = await findRunAccounts(config.home);
  const agents = accounts.agents && (await withHome(config.home, accounts.agents));
  const marks = await chooseMarkMethod({ home: config.home, instanceId, account: accounts.agents });
  logger.info({ markedBy: marks.kind }, 'how the processes of a run are marked');
  const client = new ToolClient({
    url: config.mcpUrl,
    token: config.coordinatorToken,
    name: 'aizuchi-coordinator',
    version: VERSION,
  });
  const reports = new ReportQueue(client, logger.child({ subsystem: 'reports' }));
  const metrics = createMetrics(
    () => runs,
    () => reports.waiting,
    () => executor.spares.count,
  );
  const plan = {
    config,
    runner: { node: config.runner.node, bundle: config.runner.bundle ?? DEFAULT_BUNDLE },
    accounts: { ...accounts, agents },
    claude: new ClaudeFinder({ home: config.home, account: agents }),
    texts: RUN_ERRORS[config.locale],
    env,
  };
  const spareRunners = new SpareRunners({
    // Containers have spares of their own (executor/docker/spare-containers.ts).
    count: executorOf(config) === 'process' ? config.spareRunners : 0,
    marks,
    plan,
    logger: logger.child({ subsystem: 'spares' }),
  });
  const worktrees = new Worktrees({
    store: new WorktreeStore(config.home, logger.child({ subsystem: 'worktrees' })),
    reports,
    self: { coordinator_id: config.id, instance_id: instanceId },
    logger: logger.child({ subsystem: 'worktrees' }),
    plan,
  });
  const journal = new RunJournal(config.home, logger.child({ subsystem: 'journal' }));
  const runPlan = planForExecutor(plan, config);
  const executor: Executor = await makeExecutor({
    config,
    plan: runPlan,
    instanceId,
    bootId,
    journal,
    marks,
    spares: spareRunners,
    logger: logger.child({ subsystem: 'runs' }),
    texts: plan.texts,
  });
  const runs: RunTable = new RunTable({
    home: config.home,
    coordinatorId: config.id,
    host,
    bootId,
    instanceId,
    reports,
    journal,
    executor,
    logger: logger.child({ subsystem: 'runs' }),
    worktrees,
    plan: runPlan,
    onEnded: (cause) => metrics.ended.inc({ cause }),
  });
  const askActions = new AskActions({
    client,
    runs,
    worktrees,
    memory: new MemoryReadings({
      handles: () => runs.started,
      logger: logger.child({ subsystem: 'memory' }),
    }),
    programs: new ProgramReports({
      // What an image has is seen when a run begins in it.
      finder: executorOf(config) === 'process' ? new ProgramFinder(plan) : { look: async () => [] },
      client,
      self: { coordinator_id: config.id, instance_id: instanceId },
      logger: logger.child({ subsystem: 'programs' }),
    }),
    logger: logger.child({ subsystem: 'ask-actions' }),
    self: {
      coordinator_id: config.id,
      host,
      boot_id: bootId,
      instance_id: instanceId,
      capacity: config.maxProcesses,
      labels: config.labels,
      roots: config.workspaceRoots,
      executor: executorOf(config),
      ...(runPlan.keepsEgress && { keeps_egress: true as const }),
    },
    holdSeconds: config.pollMs / 1000,
  });
  const health = buildHealthServer({
    version: VERSION,
    registry: metrics.registry,
    token: config.coordinatorToken,
    place: config.server,
    trustProxy: config.server.trustProxy,
    logger: logger.child({ subsystem: 'http' }),
    isReady: () => answers(client),
  });
  return { logger, client, reports, runs, spares: executor.spares, worktrees, askActions, health };
}

async function answers(client: ToolClient): Promise<boolean> {
  try {
    await client.call('health_check', {}, { timeoutMs: READY_TIMEOUT_MS });
    return true;
  } catch (error) {
    // A Coordinator that is refused, for instance because of a wrong token, is not ready either.
    if (error instanceof ToolUnreachable || error instanceof ToolRefused) return false;
    throw error;
  }
}
