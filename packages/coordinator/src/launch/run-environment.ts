export interface RunIdentity {
  readonly mcpUrl: string;
  readonly agentId: string;
  readonly projectId: string;
  readonly purpose: string;
  readonly runId: string;
}

export interface EnvironmentOptions {
  /** Names that the person who runs the Coordinator allows for agents. */
  readonly extraNames: readonly string[];
  /** Home and name of the account that the agent runs as, when it is not our own. */
  readonly account?: { readonly name: string; readonly home: string } | undefined;
  /** Only for programs that cannot read the ticket from stdin. */
  readonly passkey?: string | undefined;
}

const ALLOWED = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR'];

/** Variables of the product: agents do not get them even if AIZUCHI_AGENT_ENV names them. */
const NEVER = /^(?:AIZUCHI_|MCP_COORDINATOR_TOKEN|DATABASE_URL|PG[A-Z]+$|LLM_|EMBEDDING_|NODE_CHANNEL_)/;

/** The whole environment of an agent, built from nothing (contract §8). */
export function runEnvironment(
  ours: Readonly<Record<string, string | undefined>>,
  run: RunIdentity,
  options: EnvironmentOptions,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of [...ALLOWED, ...options.extraNames.filter((extra) => !NEVER.test(extra))]) {
    const value = ours[name];
    if (value !== undefined && value !== '') env[name] = value;
  }
  if (options.account) {
    env.HOME = options.account.home;
    env.USER = options.account.name;
    env.LOGNAME = options.account.name;
  }
  return {
    ...env,
    AIZUCHI_MCP_URL: run.mcpUrl,
    AIZUCHI_AGENT_ID: run.agentId,
    AIZUCHI_PROJECT_ID: run.projectId,
    AIZUCHI_PURPOSE: run.purpose,
    AIZUCHI_RUN_ID: run.runId,
    ...(options.passkey === undefined ? {} : { AIZUCHI_PASSKEY: options.passkey }),
  };
}

/** Names whose values must not be readable in a log. */
const SECRET_NAME = /KEY|TOKEN|SECRET|PASS|CREDENTIAL/i;
/** A shorter value would be found in many ordinary words. */
const SECRET_LEAST_LENGTH = 8;

/** Values that an agent was given and might print. */
export function secretsIn(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env)
    .filter(([name, value]) => SECRET_NAME.test(name) && value.length >= SECRET_LEAST_LENGTH)
    .map(([, value]) => value);
}
