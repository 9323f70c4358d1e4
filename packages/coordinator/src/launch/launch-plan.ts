import type { AgentCommand, AgentLimits } from '@aizuchi/shared/contract/agent';
import type { Launch } from '@aizuchi/shared/contract/launch';
import type { MembershipKey } from '@aizuchi/shared/contract/run';
import type { AgentAction } from '@aizuchi/shared/contract/tools/coordinator-tools';
import type { CoordinatorConfig } from '@aizuchi/shared/platform/config/config';
import type { PinnedFolder } from '@aizuchi/shared/platform/files/pinned-folder';
import { secretsIn } from '@aizuchi/shared/platform/secret-values';
import type { RunErrorTexts } from '../texts/run-errors.ts';
import type { AgentAccount, RunAccounts } from './agent-account.ts';
import type { ClaudeFinder } from './claude/claude-finder.ts';
import { OLDEST_CLAUDE } from './claude/claude-release.ts';
import { findExecutable, isAllowed } from './executables.ts';
import {
  type AgentVariables,
  agentVariables,
  CLAUDE_PREFIXES,
  isOfProxy,
  neededInContainer,
  OF_THE_HOST,
  runEnvironment,
} from './run-environment.ts';
import { StartError } from './start-error.ts';
import { openWorkingDirectory } from './working-directory.ts';

export interface RunIds extends MembershipKey {
  readonly runId: string;
}

/** Everything that a spawn needs, validated; nothing has been started yet. */
export interface LaunchPlan extends RunIds {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /**
   * The folder that `cwd` named when it was checked, as an open descriptor: the run begins in it, even if the
   * name leads elsewhere by then.
   */
  readonly folder: PinnedFolder;
  readonly env: Record<string, string>;
  /** Written to stdin and never logged: the launch of our own runner. Other programs get nothing on stdin. */
  readonly stdinLine?: string | undefined;
  /** Made unreadable in everything that is stored of its output. */
  readonly secrets: readonly string[];
  readonly account?: AgentAccount | undefined;
  /**
   * Contract §8: a folder that the account of the agent cannot write ends the run, unless the agent touches
   * no file.
   */
  readonly mustWriteFolder: boolean;
  /** Our own runner and a model behind an address touch no file: they need no folder. */
  readonly worksInFolder: boolean;
  /** In a container, instead of those of the Coordinator. */
  readonly limits?: AgentLimits | undefined;
  /** The same for the image. */
  readonly image?: string | undefined;
  /** The hosts that it may reach beside the mcp-server; undefined: no list. */
  readonly egress?: readonly string[] | undefined;
}

export interface PlanOptions {
  readonly config: Pick<CoordinatorConfig, 'mcpUrl' | 'allowedCommands' | 'agentEnvNames' | 'workspaceRoots'>;
  readonly runner: { readonly node: string; readonly bundle: string };
  readonly accounts: RunAccounts;
  readonly claude: Pick<ClaudeFinder, 'find'>;
  readonly texts: RunErrorTexts;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Runs live in containers: the programs of agents are in an image, where nobody looks for them before the start. */
  readonly isInContainers?: boolean;
  /** Runs can be kept to a list of hosts. */
  readonly keepsEgress?: boolean;
}

/**
 * Throws StartError when the order cannot be carried out on this host. The caller closes the folder of the
 * plan, also when nothing is started.
 */
export async function planLaunch(
  run: RunIds,
  action: AgentAction,
  options: PlanOptions,
): Promise<LaunchPlan> {
  const { texts } = options;
  const cwd = action.working_directory;
  // Such orders name no folder.
  if (action.egress && !options.keepsEgress) throw new StartError(texts.needsEgress);
  if (action.executor === 'docker' && !options.isInContainers) throw new StartError(texts.needsContainer);
  if (!cwd || !action.provider) throw new StartError(texts.incomplete);
  if (action.working_directory_overlaps) throw new StartError(texts.directoryOverlaps(cwd));
  const program = await programOf(run, action, cwd, options);
  const { account, launch } = program;
  const ticket = action.launch?.ticket;
  const env = runEnvironment(
    options.env,
    { ...run, mcpUrl: options.config.mcpUrl, purpose: action.purpose ?? 'chat' },
    {
      ...(launch && options.isInContainers
        ? { extraNames: neededInContainer(options.config.agentEnvNames) }
        : variablesOf(action, options)),
      account,
      passkey: launch ? undefined : ticket,
    },
  );
  return {
    ...run,
    cwd,
    // This comes last: a failure before it leaves no open descriptor.
    folder: await openWorkingDirectory(cwd, action.working_directory_made === true, {
      ...options,
      account: options.accounts.agents,
    }),
    env,
    file: program.file,
    args: program.args,
    stdinLine: launch && JSON.stringify(launch),
    secrets: [ticket, launch?.apiKey, ...secretsIn({ ...env, ...launch?.env })].filter(
      (secret) => secret !== undefined,
    ),
    account,
    mustWriteFolder: program.worksInFolder && account !== undefined,
    worksInFolder: program.worksInFolder,
    limits: limitsOf(action),
    image: action.image,
    egress: action.egress,
  };
}

function variablesOf({ provider }: AgentAction, { config }: PlanOptions): AgentVariables {
  return {
    extraNames: config.agentEnvNames,
    extraPrefixes: provider === 'claude' ? CLAUDE_PREFIXES : [],
  };
}

function limitsOf({ limits }: AgentAction): AgentLimits | undefined {
  if (!limits) return undefined;
  const { memory_mb: memoryMb, ...others } = limits;
  return { ...others, ...(memoryMb !== undefined && { memoryMb }) };
}

interface Program {
  readonly file: string;
  readonly args: readonly string[];
  /** Our own runner reads it from stdin. */
  readonly launch?: Launch;
  /** Our own runner and a model behind an address touch no file: any folder is suitable. */
  readonly worksInFolder: boolean;
  readonly account: AgentAccount | undefined;
}

async function programOf(
  run: RunIds,
  action: AgentAction,
  cwd: string,
  options: PlanOptions,
): Promise<Program> {
  const { texts, accounts } = options;
  switch (action.provider) {
    case 'builtin':
      return { ...ownRunner(run, action, options), worksInFolder: false, account: accounts.runner };
    case 'openai':
      requireModel(action, options);
      return { ...ownRunner(run, action, options), worksInFolder: false, account: accounts.runner };
    case 'claude': {
      const command = { file: await findClaude(options), args: [] };
      const runner = ownRunner(run, { ...action, command }, options);
      return { ...runner, worksInFolder: true, account: accounts.agents };
    }
    case 'acp': {
      // Our runner starts the program, so it needs the account that the program runs as.
      const command = await commandOf(action, cwd, options);
      return {
        ...ownRunner(run, { ...action, command }, options),
        worksInFolder: true,
        account: accounts.agents,
      };
    }
    case 'command': {
      const { file, args } = await commandOf(action, cwd, options);
      return { file, args, worksInFolder: true, account: accounts.agents };
    }
    case undefined:
      throw new StartError(texts.incomplete);
  }
}

/**
 * A container has its own home and its own programs; one that is kept to a list of hosts has its own proxy. Runners of older
 * images know no variables in their line.
 */
function lineVariables(action: AgentAction, options: PlanOptions): Pick<Launch, 'env'> {
  const given = Object.entries(agentVariables(options.env, variablesOf(action, options)));
  const env = Object.fromEntries(
    given.filter(([name]) => !OF_THE_HOST.has(name) && !(action.egress && isOfProxy(name))),
  );
  return Object.keys(env).length > 0 ? { env } : {};
}

/** In the PATH of the image; the runner says so when it is not. */
const CLAUDE_OF_IMAGE = 'claude';

/** What a model behind an address cannot do without. The value of a key is in no text. */
function requireModel(
  { base_url: baseUrl, model, api_key_env: apiKeyEnv }: AgentAction,
  { texts, env }: PlanOptions,
): void {
  if (!baseUrl) throw new StartError(texts.baseUrlMissing);
  if (!model) throw new StartError(texts.modelMissing);
  if (apiKeyEnv && !env[apiKeyEnv]?.trim()) throw new StartError(texts.keyMissing(apiKeyEnv));
}

async function findClaude(options: PlanOptions): Promise<string> {
  const { claude, env, texts, accounts } = options;
  if (options.isInContainers) return CLAUDE_OF_IMAGE;
  const { found, passedOver } = await claude.find(env.PATH ?? '');
  if (found) return found.file;
  if (!passedOver) throw new StartError(texts.claudeMissing);
  const { file, version } = passedOver;
  if (version !== undefined) throw new StartError(texts.claudeTooOld(file, version, OLDEST_CLAUDE));
  throw new StartError(texts.claudeNotExecutable(file, accounts.agents?.name ?? ''));
}

/** The command of the agent, with the absolute path of its executable. Throws StartError. */
async function commandOf(
  { command }: AgentAction,
  cwd: string,
  { texts, config, env, isInContainers }: PlanOptions,
): Promise<AgentCommand> {
  if (!command) throw new StartError(texts.commandMissing);
  const { file } = command;
  if (!isAllowed(file, config.allowedCommands)) throw new StartError(texts.commandNotAllowed(file));
  if (isInContainers) return command;
  const found = await findExecutable(file, cwd, env.PATH ?? '');
  if (!found) throw new StartError(texts.commandNotFound(file));
  return { ...command, file: found };
}

function ownRunner(run: RunIds, action: AgentAction, options: PlanOptions) {
  const { runner, env, texts } = options;
  const { provider, model, base_url: baseUrl, api_key_env: apiKeyEnv, command, launch } = action;
  if (!provider) throw new StartError(texts.incomplete);
  const line: Launch = {
    ...run,
    ...(launch && { ticket: launch.ticket }),
    purpose: action.purpose ?? 'chat',
    provider,
    // In a container one that touches no file has no folder.
    ...(action.working_directory &&
      (command || !options.isInContainers) && { workingDirectory: action.working_directory }),
    ...(model && { model }),
    ...(baseUrl && { baseUrl }),
    // The same text is hidden in the log of the run and used by the runner.
    ...(apiKeyEnv && { apiKey: env[apiKeyEnv]?.trim() }),
    ...(command && { command }),
    ...(options.isInContainers && lineVariables(action, options)),
  };
  return { file: runner.node, args: [runner.bundle, provider], launch: line };
}
