import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { isTimeZone } from '../../contract/time-zone.ts';
import { ExitError, exitCodes } from '../process-lifecycle.ts';

export type RawEnv = Readonly<Record<string, string | undefined>>;

function wholeNumber(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be between ${min} and ${max}`);
}

/** 0 switches it off. */
function zeroOr(min: number, max: number) {
  return wholeNumber(0, max).refine(
    (value) => value === 0 || value >= min,
    `must be 0 or between ${min} and ${max}`,
  );
}

function list(pattern?: RegExp) {
  return z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((entry) => entry.trim())
        .filter(Boolean),
    )
    .refine(
      (entries) => entries.every((entry) => pattern?.test(entry) ?? true),
      'has an entry that is not allowed',
    );
}

function url(...protocols: string[]) {
  return z.string().refine(
    (text) => {
      const parsed = URL.parse(text);
      return parsed !== null && protocols.includes(parsed.protocol);
    },
    `must be a URL with ${protocols.join(' or ')}`,
  );
}

/** What an HTTP header can carry. */
const headerText = z
  .string()
  .regex(
    /^[\t\x20-\x7e\x80-\xff]+$/,
    'must have no line break, and only characters that an HTTP header can carry',
  );
const port = wholeNumber(0, 65_535);
const absolutePath = z.string().refine((path) => isAbsolute(path), 'must be an absolute path');
const pathListSeparator = process.platform === 'win32' ? ';' : ':';
const anHour = 3_600;
const aWeek = 7 * 24 * anHour;
/** In days. */
const tenYears = 3_650;

/** The settings that may also come by variable; the bounds are those of the settings page. */
const settingVariables = {
  PENDING_PURPOSE_TTL_SECONDS: wholeNumber(1, 86_400),
  SESSION_IDLE_TIMEOUT_SECONDS: wholeNumber(1, aWeek),
  TURN_TIMEOUT_SECONDS: wholeNumber(0, aWeek),
  CONVERSATION_TIMEOUT_SECONDS: wholeNumber(1, aWeek),
  CONVERSATION_PENDING_TIMEOUT_SECONDS: wholeNumber(1, aWeek),
  QUESTION_TIMEOUT_SECONDS: wholeNumber(0, aWeek),
  CONVERSATION_NOTICE_GRACE_SECONDS: wholeNumber(1, aWeek),
  CHAIN_MAX_MESSAGES: wholeNumber(1, 1_000_000),
  PROJECT_AGENT_MESSAGES_PER_HOUR: wholeNumber(0, 1_000_000),
  AGENT_BYTES_PER_HOUR: zeroOr(1_048_576, 2_000_000_000),
  VIEWER_LEASE_SECONDS: wholeNumber(1, aWeek),
  WARM_ON_HOVER: wholeNumber(0, 2),
};

/** The retention of finished rows. */
const retentionVariables = {
  RETENTION_SESSIONS_DAYS: wholeNumber(1, tenYears),
  // The page lists failed runs for a week.
  RETENTION_RUNS_DAYS: wholeNumber(7, tenYears),
  RETENTION_TOKENS_DAYS: wholeNumber(1, tenYears),
  RETENTION_CONVERSATIONS_DAYS: wholeNumber(7, tenYears),
  RETENTION_CARDS_DAYS: wholeNumber(7, tenYears),
  RETENTION_VIEWERS_HOURS: wholeNumber(1, 24 * tenYears),
  RETENTION_AUDIT_DAYS: wholeNumber(0, tenYears),
  RETENTION_RETRIEVALS_DAYS: wholeNumber(1, tenYears),
  // In MB, of one project.
  ATTACHMENTS_PER_PROJECT_MB: wholeNumber(0, 1_000_000),
};

const variables = {
  ...settingVariables,
  ...retentionVariables,
  DATABASE_URL: url('postgres:', 'postgresql:'),
  AIZUCHI_HOME: z.string(),
  AIZUCHI_SERVICES: list(/^[a-z][a-z-]*$/),
  AIZUCHI_MCP_URL: url('http:', 'https:'),
  AIZUCHI_MEMORY_URL: url('http:', 'https:'),
  AIZUCHI_INTERNAL_TOKEN: z.string(),
  REST_PORT: port,
  MCP_PORT: port,
  COORDINATOR_PORT: port,
  MEMORY_PORT: port,
  AIZUCHI_HOST: z.string().regex(/^[\w.:-]+$/, 'must be an address or a host name'),
  AIZUCHI_PUBLIC_URL: url('http:', 'https:'),
  AIZUCHI_ALLOWED_HOSTS: list(/^[\w.-]+(:\d+)?$|^\[[\da-fA-F:]+\](:\d+)?$/),
  AIZUCHI_TRUST_PROXY: z.string(),
  AIZUCHI_NOTIFY_HOSTS: list(/^[\w.-]+(:\d+)?$|^\[[\da-fA-F:]+\](:\d+)?$/),
  AIZUCHI_OWNER_PASSKEY: z.string().min(8, 'must have at least 8 characters'),
  MCP_COORDINATOR_TOKEN: headerText,
  AIZUCHI_WORKSPACE_ROOTS: z
    .string()
    .transform((text) => text.split(pathListSeparator).filter(Boolean))
    .refine((paths) => paths.every((path) => isAbsolute(path)), 'must be absolute paths'),
  AIZUCHI_LOCALE: z.enum(['ja', 'en'], 'must be ja or en'),
  AIZUCHI_TIMEZONE: z.string().refine(isTimeZone, 'must be a time zone such as Asia/Tokyo'),
  AIZUCHI_LOG_LEVEL: z.enum(
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    'must be trace, debug, info, warn, error, fatal or silent',
  ),
  AIZUCHI_AGENT_ENV: list(/^[A-Za-z_]\w*$/),
  AIZUCHI_RUNNER_NODE: absolutePath,
  AIZUCHI_RUNNER_BUNDLE: absolutePath,
  AIZUCHI_EXECUTOR: z.enum(
    ['process', 'docker', 'swarm', 'kubernetes'],
    'must be process, docker, swarm or kubernetes',
  ),
  AIZUCHI_SWARM_CONSTRAINTS: list(/^[\w.-]+ ?[!=]= ?[\w./:-]+$/),
  AIZUCHI_KUBERNETES_CONFIG: absolutePath,
  AIZUCHI_KUBERNETES_NAMESPACE: z
    .string()
    .regex(/^[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/, 'must be the name of a namespace'),
  AIZUCHI_KUBERNETES_NODES: list(/^[\w./-]+=[\w.-]*$/),
  AIZUCHI_KUBERNETES_CLAIMS: list(/^\/[^=]*=[a-z\d][a-z\d.-]*$/),
  AIZUCHI_KUBERNETES_HOST_PATHS: list(/^\//),
  /** Set by Kubernetes in each pod. */
  KUBERNETES_SERVICE_HOST: z.string(),
  AIZUCHI_DOCKER_HOST: url('unix:', 'tcp:', 'https:'),
  AIZUCHI_DOCKER_CERTS: absolutePath,
  AIZUCHI_DOCKER_IMAGE: z.string().regex(/^[\w][\w./:@-]{0,254}$/, 'must be the name of an image'),
  AIZUCHI_DOCKER_MCP_URL: url('http:', 'https:'),
  AIZUCHI_DOCKER_NETWORK: z
    .string()
    .regex(/^(?!host$|none$)[A-Za-z\d][\w.-]{0,63}$/, 'must be the name of a network, and not host or none'),
  AIZUCHI_DOCKER_MEMORY_MB: wholeNumber(64, 1_048_576),
  AIZUCHI_DOCKER_CPUS: wholeNumber(1, 1_024),
  AIZUCHI_DOCKER_PROCESSES: wholeNumber(16, 100_000),
  COORDINATOR_ID: z.string().regex(/^[A-Za-z0-9][\w.-]{0,63}$/, 'must be 1–64 letters, digits, _, . or -'),
  COORDINATOR_LABELS: list(/^[\w.:=/-]{1,64}$/),
  COORDINATOR_MAX_PROCESSES: wholeNumber(1, 10_000),
  COORDINATOR_POLL_SECONDS: wholeNumber(1, anHour),
  COORDINATOR_ALLOWED_COMMANDS: list(),
  COORDINATOR_SPARE_RUNNERS: wholeNumber(0, 10),
  MEMORY_GROWTH: z.enum(['on', 'off'], 'must be on or off'),
  RATE_LIMIT_PER_MINUTE: wholeNumber(0, 100_000_000),
  LLM_PROVIDER: z.enum(['openai-compatible', 'anthropic'], 'must be openai-compatible or anthropic'),
  LLM_BASE_URL: url('http:', 'https:'),
  LLM_API_KEY: headerText,
  LLM_MODEL: z.string(),
  EMBEDDING_BASE_URL: url('http:', 'https:'),
  EMBEDDING_API_KEY: headerText,
  EMBEDDING_MODEL: z.string(),
};

type Variables = typeof variables;
export type VariableName = keyof Variables;
export const variableNames = Object.keys(variables) as VariableName[];
export type Env<Name extends VariableName = VariableName> = {
  [K in Name]?: z.output<Variables[K]>;
};

/**
 * Variables that may also come as NAME_FILE: the path of a file that contains the value, as container
 * platforms provide secrets.
 */
export const secretVariables = [
  'DATABASE_URL',
  'AIZUCHI_INTERNAL_TOKEN',
  'AIZUCHI_OWNER_PASSKEY',
  'MCP_COORDINATOR_TOKEN',
  'LLM_API_KEY',
  'EMBEDDING_API_KEY',
] as const satisfies readonly VariableName[];

export function isGiven(raw: RawEnv, name: string): boolean {
  return Boolean(raw[name] || raw[`${name}_FILE`]);
}

function given(raw: RawEnv, name: VariableName): string | undefined {
  const file = secretVariables.some((secret) => secret === name) ? raw[`${name}_FILE`] : undefined;
  if (!file) return raw[name];
  const refuse = (why: string) => new ExitError(exitCodes.configuration, `${name}_FILE ${why}.`);
  if (raw[name]) throw refuse(`and ${name} are both set: choose one`);
  try {
    const text = readFileSync(file, 'utf8').trim();
    if (text) return text;
  } catch (error) {
    throw refuse(`cannot be read (${error instanceof Error && 'code' in error ? error.code : 'unknown'})`);
  }
  throw refuse('names an empty file');
}

/**
 * Reads the named variables; an empty one counts as unset. Throws ExitError (configuration) with one sentence
 * that names the first wrong variable, never its value: it may be a secret.
 */
export function readEnv<Name extends VariableName>(raw: RawEnv, names: readonly Name[]): Env<Name> {
  const shape = Object.fromEntries(names.map((name) => [name, variables[name].optional()]));
  const values = names.map((name) => [name, given(raw, name)] as const).filter(([, value]) => value);
  const result = z.object(shape).safeParse(Object.fromEntries(values));
  if (!result.success) {
    const issue = result.error.issues[0];
    throw new ExitError(
      exitCodes.configuration,
      `${issue?.path.join('.') ?? 'A variable'} ${issue?.message}.`,
    );
  }
  return result.data as Env<Name>;
}
