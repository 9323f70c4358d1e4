import type { MembershipKey } from '@aizuchi/shared/contract/run';

type Environment = Readonly<Record<string, string | undefined>>;

export interface RunIdentity extends MembershipKey {
  readonly mcpUrl: string;
  readonly purpose: string;
  readonly runId: string;
}

/** Which variables of ours an agent is given beside those of every program. */
export interface AgentVariables {
  /** Names that the person who runs the Coordinator allows for agents. */
  readonly extraNames: readonly string[];
  /** Variables whose names begin so belong to the program that is started. */
  readonly extraPrefixes?: readonly string[];
}

export interface EnvironmentOptions extends AgentVariables {
  /** Home and name of the account that the agent runs as, when it is not our own. */
  readonly account?: { readonly name: string; readonly home: string } | undefined;
  /** Only for programs that cannot read the ticket from stdin. */
  readonly passkey?: string | undefined;
}

/** Contract §8: the variables by which people configure Claude Code. */
export const CLAUDE_PREFIXES: readonly string[] = ['ANTHROPIC_', 'CLAUDE_CODE_'];

const ALLOWED = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR'];

/** Variables of the product: agents do not get them even if AIZUCHI_AGENT_ENV names them. */
const NEVER = /^(?:AIZUCHI_|MCP_COORDINATOR_TOKEN|DATABASE_URL|PG[A-Z]+$|LLM_|EMBEDDING_|NODE_CHANNEL_)/;

/** Whom Node trusts: without it a runner may not be able to connect, and it can only be set at the start of a process. */
const CERTIFICATES: readonly string[] = ['NODE_EXTRA_CA_CERTS', 'NODE_USE_SYSTEM_CA'];

/** The whole environment of an agent, built from nothing. */
export function runEnvironment(
  ours: Environment,
  run: RunIdentity,
  options: EnvironmentOptions,
): Record<string, string> {
  return {
    ...hostEnvironment(ours, options),
    AIZUCHI_MCP_URL: run.mcpUrl,
    AIZUCHI_AGENT_ID: run.agentId,
    AIZUCHI_PROJECT_ID: run.projectId,
    AIZUCHI_PURPOSE: run.purpose,
    AIZUCHI_RUN_ID: run.runId,
    ...(options.passkey === undefined ? {} : { AIZUCHI_PASSKEY: options.passkey }),
  };
}

/**
 * The environment of a runner that is started before its run is known. The variables that people name for agents are keys
 * for the most part, and the built-in agent uses none of them.
 */
export function spareEnvironment(
  ours: Environment,
  spare: { readonly mcpUrl: string; readonly traceId: string },
  { extraNames, account }: Pick<EnvironmentOptions, 'extraNames' | 'account'>,
): Record<string, string> {
  return {
    ...hostEnvironment(ours, { extraNames: neededAtStart(extraNames), account }),
    AIZUCHI_MCP_URL: spare.mcpUrl,
    AIZUCHI_RUN_ID: spare.traceId,
  };
}

/** Of these names the variables that a process must have from its start. */
function neededAtStart(names: readonly string[]): string[] {
  return names.filter((name) => CERTIFICATES.includes(name));
}

/** How programs, and with the first one Node, reach others through a proxy. */
const PROXIES = /^(?:NODE_USE_ENV_PROXY|(?:HTTPS?|ALL|NO)_PROXY)$/i;

/** Whether this variable says through which proxy others are reached. */
export function isOfProxy(name: string): boolean {
  return PROXIES.test(name);
}

/**
 * The same for a runner in a container: whoever may use the engine can read them. Node reads proxies at the start too; a spare
 * runner needs them as little as keys.
 */
export function neededInContainer(names: readonly string[]): string[] {
  return names.filter((name) => CERTIFICATES.includes(name) || name === 'NODE_OPTIONS' || isOfProxy(name));
}

/** Variables that say something about this host only. */
export const OF_THE_HOST: ReadonlySet<string> = new Set(['PATH', 'HOME', 'TMPDIR', 'USER', 'LOGNAME']);

/** The variables themselves. Keys are among them. */
export function agentVariables(
  ours: Environment,
  { extraNames, extraPrefixes = [] }: AgentVariables,
): Record<string, string> {
  const prefixed = Object.keys(ours).filter((name) =>
    extraPrefixes.some((prefix) => name.startsWith(prefix)),
  );
  return valuesOf(
    ours,
    [...prefixed, ...extraNames].filter((name) => !NEVER.test(name)),
  );
}

function valuesOf(ours: Environment, names: readonly string[]): Record<string, string> {
  const values: Record<string, string> = {};
  for (const name of names) {
    const value = ours[name];
    if (value !== undefined && value !== '') values[name] = value;
  }
  return values;
}

function hostEnvironment(ours: Environment, options: EnvironmentOptions): Record<string, string> {
  const env = { ...valuesOf(ours, ALLOWED), ...agentVariables(ours, options) };
  if (options.account) {
    env.HOME = options.account.home;
    env.USER = options.account.name;
    env.LOGNAME = options.account.name;
  }
  return env;
}

/** Whether a program of an agent is given this variable of ours, and it has a value. */
export function isPassedOn(name: string, ours: Environment, extraNames: readonly string[]): boolean {
  return extraNames.includes(name) && !NEVER.test(name) && (ours[name] ?? '') !== '';
}
