import { access, constants, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import type { AgentAction } from '@aizuchi/shared/contract/tools/coordinator-tools';
import type { CoordinatorConfig } from '@aizuchi/shared/platform/config/config';
import type { PinnedFolder } from '@aizuchi/shared/platform/files/pinned-folder';
import type { RunErrorTexts } from '../texts/run-errors.ts';
import type { AgentAccount, RunAccounts } from './agent-account.ts';
import { runEnvironment, secretsIn } from './run-environment.ts';
import { StartError } from './start-error.ts';
import { openWorkingDirectory } from './working-directory.ts';

export interface MembershipKey {
  readonly agentId: string;
  readonly projectId: string;
}

/** Everything that a spawn needs, validated; nothing has been started yet. */
export interface LaunchPlan extends MembershipKey {
  readonly runId: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /**
   * The folder that `cwd` named when it was checked, as an open descriptor: the run begins in it, even if the
   * name leads elsewhere by then.
   */
  readonly folder: PinnedFolder;
  readonly env: Record<string, string>;
  /** Written to stdin and never logged; undefined when the environment contains it, or when there is none. */
  readonly stdinTicket?: string | undefined;
  /** Made unreadable in everything that is stored of its output. */
  readonly secrets: readonly string[];
  readonly account?: AgentAccount | undefined;
  /**
   * Contract §8: a folder that the account of the agent cannot write ends the run, unless the agent touches
   * no file.
   */
  readonly mustWriteFolder: boolean;
}

export interface PlanOptions {
  readonly config: Pick<CoordinatorConfig, 'mcpUrl' | 'allowedCommands' | 'agentEnvNames' | 'workspaceRoots'>;
  readonly runner: { readonly node: string; readonly bundle: string };
  readonly accounts: RunAccounts;
  readonly texts: RunErrorTexts;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Throws StartError when the order cannot be carried out on this host. The caller closes the folder of the
 * plan, also when nothing is started.
 */
export async function planLaunch(
  membership: MembershipKey,
  runId: string,
  action: AgentAction,
  options: PlanOptions,
): Promise<LaunchPlan> {
  const { texts } = options;
  const cwd = action.working_directory;
  if (!cwd || !action.provider) throw new StartError(texts.incomplete);
  if (action.working_directory_overlaps) throw new StartError(texts.directoryOverlaps(cwd));
  const program = await programOf(action, cwd, options);
  const { account } = program;
  const ticket = action.launch?.ticket;
  const env = runEnvironment(
    options.env,
    { ...membership, runId, mcpUrl: options.config.mcpUrl, purpose: action.purpose ?? 'chat' },
    { extraNames: options.config.agentEnvNames, account, passkey: program.takesStdin ? undefined : ticket },
  );
  return {
    ...membership,
    runId,
    cwd,
    // This comes last: a failure before it leaves no open descriptor.
    folder: await openWorkingDirectory(cwd, action.working_directory_made === true, {
      ...options,
      account: options.accounts.agents,
    }),
    env,
    file: program.file,
    args: program.args,
    stdinTicket: program.takesStdin ? ticket : undefined,
    secrets: [...(ticket === undefined ? [] : [ticket]), ...secretsIn(env)],
    account,
    mustWriteFolder: program.worksInFolder && account !== undefined,
  };
}

interface Program {
  readonly file: string;
  readonly args: readonly string[];
  /** Our own runner reads its ticket from stdin. */
  readonly takesStdin: boolean;
  /** The built-in agent touches no file: any folder is suitable. */
  readonly worksInFolder: boolean;
  readonly account: AgentAccount | undefined;
}

async function programOf(action: AgentAction, cwd: string, options: PlanOptions): Promise<Program> {
  const { texts, runner, config, accounts } = options;
  switch (action.provider) {
    case 'builtin':
      return {
        file: runner.node,
        args: [runner.bundle, 'builtin'],
        takesStdin: true,
        worksInFolder: false,
        account: accounts.runner,
      };
    case 'command': {
      if (!action.command) throw new StartError(texts.commandMissing);
      const { file, args } = action.command;
      if (!isAllowed(file, config.allowedCommands)) throw new StartError(texts.commandNotAllowed(file));
      const found = await findExecutable(file, cwd, options.env.PATH ?? '');
      if (!found) throw new StartError(texts.commandNotFound(file));
      return { file: found, args, takesStdin: false, worksInFolder: true, account: accounts.agents };
    }
    default:
      throw new StartError(texts.providerNotAvailable(action.provider ?? ''));
  }
}

/** A name allows only the name, a path only the path: `/tmp/claude` is not allowed by `claude`. */
export function isAllowed(file: string, allowed: readonly string[]): boolean {
  return allowed.includes('*') || allowed.includes(file);
}

/**
 * The absolute path of the command; a path with a slash is resolved from the working directory. Own code: the
 * package which checks only the mode bits and returns files that the kernel does not run (mounted noexec),
 * and it begins in our folder.
 */
export async function findExecutable(file: string, cwd: string, path: string): Promise<string | undefined> {
  if (file === '') return undefined;
  const places = file.includes('/')
    ? [isAbsolute(file) ? file : resolve(cwd, file)]
    : path.split(delimiter).map((folder) => join(folder || cwd, file));
  for (const place of places) if (await isExecutable(place)) return place;
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    // The file does not exist or we may not run it: the next folder of PATH may have it.
    return false;
  }
}
