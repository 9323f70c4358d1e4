/** The typed configuration of each process, read once at its start. Durations are in milliseconds. */
import { existsSync } from 'node:fs';
import { homedir, hostname, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ExitError, exitCodes } from '../process-lifecycle.ts';
import { type DockerConfig, dockerConfig, dockerVariables } from './docker-config.ts';
import { type Env, type RawEnv, readEnv } from './env.ts';
import { type KubernetesConfig, kubernetesConfig, kubernetesVariables } from './kubernetes-config.ts';
import { type ModelConfig, modelConfig, modelVariables } from './model-config.ts';
import { type Retention, retentionFromEnv } from './retention.ts';
import { type SettingsFromEnv, settingsFromEnv } from './settings-from-env.ts';

export { type SettingsFromEnv, settingsFromEnv } from './settings-from-env.ts';

export type Locale = 'ja' | 'en';

export interface ServerConfig {
  host: string;
  /** 0: the system chooses. */
  port: number;
  isLoopback: boolean;
  /** Origin and Host under which people reach us from outside, without a slash at the end. */
  publicUrl?: string;
  allowedHosts: string[];
  /** As fastify's `trustProxy`: no address, every address, or the addresses of the proxies. */
  trustProxy: boolean | string[];
}

interface CommonConfig {
  home: string;
  logLevel: string;
  locale: Locale;
  timeZone: string;
}

interface DatabaseServiceConfig extends CommonConfig {
  server: ServerConfig;
  databaseUrl: string;
  settings: SettingsFromEnv;
  retention: Retention;
  /** Calls per caller and minute; 0 = no limit. */
  rateLimitPerMinute: number;
  /** The token with which the services call each other. */
  internalToken: string;
  memoryUrl?: string;
}

export interface RestConfig extends DatabaseServiceConfig {
  workspaceRoots: string[];
  /** The MCP endpoint for agents and for people's own clients. */
  mcpUrl?: string;
  /** Private hosts that notifications may be sent to. */
  notifyHosts: string[];
  models: ModelConfig;
}

export interface McpConfig extends DatabaseServiceConfig {
  coordinatorToken: string;
  workspaceRoots: string[];
  /** LLM_MODEL is set: what people show to agents can be described. This service never asks the model. */
  hasModel: boolean;
}

export interface MemoryConfig extends CommonConfig {
  server: ServerConfig;
  databaseUrl: string;
  /** Opens the internal API. */
  internalToken: string;
  models: ModelConfig;
  /** Whether facts, summaries and the rest grow out of what is stored. */
  growth: boolean;
}

export interface CoordinatorConfig extends CommonConfig {
  server: ServerConfig;
  id: string;
  labels: string[];
  maxProcesses: number;
  /** How many runners wait for a run of the built-in agent. */
  spareRunners: number;
  pollMs: number;
  /** Executables that provider `command` may run here; `*` = any. */
  allowedCommands: string[];
  mcpUrl: string;
  coordinatorToken: string;
  workspaceRoots: string[];
  /** Names of further variables that agents may see. */
  agentEnvNames: string[];
  /** The program that runs our own agents, readable by the account that they run as. */
  runner: { node: string; bundle?: string };
  /** Set when its runs live in containers of an engine. Without this and `kubernetes` they are processes of this host. */
  docker?: DockerConfig | undefined;
  /** Set when they live in Jobs of a cluster. */
  kubernetes?: KubernetesConfig | undefined;
}

const commonVariables = ['AIZUCHI_HOME', 'AIZUCHI_LOG_LEVEL', 'AIZUCHI_LOCALE', 'AIZUCHI_TIMEZONE'] as const;
const serverVariables = [
  'AIZUCHI_HOST',
  'AIZUCHI_PUBLIC_URL',
  'AIZUCHI_ALLOWED_HOSTS',
  'AIZUCHI_TRUST_PROXY',
] as const;
const databaseServiceVariables = [
  ...commonVariables,
  ...serverVariables,
  'DATABASE_URL',
  'RATE_LIMIT_PER_MINUTE',
  'AIZUCHI_INTERNAL_TOKEN',
  'AIZUCHI_MEMORY_URL',
  'AIZUCHI_WORKSPACE_ROOTS',
] as const;

export function loadRestConfig(raw: RawEnv = process.env): RestConfig {
  const env = readEnv(raw, [
    ...databaseServiceVariables,
    ...modelVariables,
    'REST_PORT',
    'AIZUCHI_MCP_URL',
    'AIZUCHI_NOTIFY_HOSTS',
  ]);
  const server = serverConfig(env, env.REST_PORT ?? 4100);
  return {
    ...databaseServiceConfig(raw, env, server),
    workspaceRoots: workspaceRoots(env, server),
    models: modelConfig(env),
    notifyHosts: env.AIZUCHI_NOTIFY_HOSTS ?? [],
    ...(env.AIZUCHI_MCP_URL && { mcpUrl: mcpEndpoint(env.AIZUCHI_MCP_URL) }),
  };
}

export function loadMcpConfig(raw: RawEnv = process.env): McpConfig {
  const env = readEnv(raw, [...databaseServiceVariables, 'MCP_PORT', 'MCP_COORDINATOR_TOKEN', 'LLM_MODEL']);
  const server = serverConfig(env, env.MCP_PORT ?? 4101);
  return {
    ...databaseServiceConfig(raw, env, server),
    coordinatorToken: required('MCP_COORDINATOR_TOKEN', env.MCP_COORDINATOR_TOKEN),
    workspaceRoots: workspaceRoots(env, server),
    hasModel: Boolean(env.LLM_MODEL),
  };
}

export function loadCoordinatorConfig(raw: RawEnv = process.env): CoordinatorConfig {
  const env = readEnv(raw, [
    ...commonVariables,
    ...serverVariables,
    'COORDINATOR_PORT',
    'COORDINATOR_ID',
    'COORDINATOR_LABELS',
    'COORDINATOR_MAX_PROCESSES',
    'COORDINATOR_POLL_SECONDS',
    'COORDINATOR_ALLOWED_COMMANDS',
    'COORDINATOR_SPARE_RUNNERS',
    'AIZUCHI_MCP_URL',
    'MCP_COORDINATOR_TOKEN',
    'AIZUCHI_WORKSPACE_ROOTS',
    'AIZUCHI_AGENT_ENV',
    'AIZUCHI_RUNNER_NODE',
    'AIZUCHI_RUNNER_BUNDLE',
    ...dockerVariables,
    ...kubernetesVariables,
  ]);
  const server = serverConfig(env, env.COORDINATOR_PORT ?? 4102);
  const mcpUrl = mcpEndpoint(required('AIZUCHI_MCP_URL', env.AIZUCHI_MCP_URL));
  return {
    ...commonConfig(env),
    server,
    id: env.COORDINATOR_ID ?? hostId(),
    labels: env.COORDINATOR_LABELS ?? [],
    maxProcesses: env.COORDINATOR_MAX_PROCESSES ?? 20,
    pollMs: (env.COORDINATOR_POLL_SECONDS ?? 2) * 1000,
    allowedCommands: env.COORDINATOR_ALLOWED_COMMANDS ?? (server.isLoopback ? ['*'] : ['claude']),
    spareRunners: env.COORDINATOR_SPARE_RUNNERS ?? 1,
    mcpUrl,
    docker: dockerConfig(env, mcpUrl),
    kubernetes: kubernetesConfig(env, mcpUrl),
    coordinatorToken: required('MCP_COORDINATOR_TOKEN', env.MCP_COORDINATOR_TOKEN),
    workspaceRoots: workspaceRoots(env, server),
    agentEnvNames: env.AIZUCHI_AGENT_ENV ?? [],
    runner: {
      node: env.AIZUCHI_RUNNER_NODE ?? process.execPath,
      ...(env.AIZUCHI_RUNNER_BUNDLE && { bundle: env.AIZUCHI_RUNNER_BUNDLE }),
    },
  };
}

export function loadMemoryConfig(raw: RawEnv = process.env): MemoryConfig {
  const env = readEnv(raw, [
    ...commonVariables,
    ...serverVariables,
    ...modelVariables,
    'DATABASE_URL',
    'AIZUCHI_INTERNAL_TOKEN',
    'MEMORY_PORT',
    'MEMORY_GROWTH',
  ]);
  return {
    ...commonConfig(env),
    server: serverConfig(env, env.MEMORY_PORT ?? 4103),
    models: modelConfig(env),
    databaseUrl: required('DATABASE_URL', env.DATABASE_URL),
    internalToken: required('AIZUCHI_INTERNAL_TOKEN', env.AIZUCHI_INTERNAL_TOKEN),
    growth: env.MEMORY_GROWTH !== 'off',
  };
}

/** The folder of data, secrets, run files and logs. */
export function homeDirectory(given: string | undefined): string {
  if (given) return resolve(given);
  return process.getuid?.() === 0 ? '/var/lib/aizuchi' : join(homedir(), '.aizuchi');
}

/** `AIZUCHI_MCP_URL` may name the server or its endpoint. */
export function mcpEndpoint(given: string): string {
  const url = new URL(given);
  if (url.pathname === '/') url.pathname = '/mcp';
  return url.href;
}

export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Where working directories may lie; outside loopback this must be configured. */
export function workspaceRoots(
  env: Env<'AIZUCHI_WORKSPACE_ROOTS'>,
  server: Pick<ServerConfig, 'isLoopback'>,
): string[] {
  if (env.AIZUCHI_WORKSPACE_ROOTS) return env.AIZUCHI_WORKSPACE_ROOTS;
  // An account without a home directory still has the temp folder.
  if (server.isLoopback) return [homedir(), tmpdir()].filter((path) => existsSync(path));
  throw new ExitError(
    exitCodes.configuration,
    'AIZUCHI_WORKSPACE_ROOTS must be set when AIZUCHI_HOST is not a loopback address.',
  );
}

export function serverConfig(env: Env<(typeof serverVariables)[number]>, port: number): ServerConfig {
  const host = env.AIZUCHI_HOST ?? '127.0.0.1';
  return {
    host,
    port,
    isLoopback: isLoopbackHost(host),
    ...(env.AIZUCHI_PUBLIC_URL && { publicUrl: env.AIZUCHI_PUBLIC_URL.replace(/\/+$/, '') }),
    allowedHosts: env.AIZUCHI_ALLOWED_HOSTS ?? [],
    trustProxy: trustProxy(env.AIZUCHI_TRUST_PROXY),
  };
}

function trustProxy(given: string | undefined): boolean | string[] {
  if (given === undefined || /^(0|no|false)$/i.test(given)) return false;
  if (/^(1|yes|true)$/i.test(given)) return true;
  return given.split(',').map((entry) => entry.trim());
}

function commonConfig(env: Env<(typeof commonVariables)[number]>): CommonConfig {
  return {
    home: homeDirectory(env.AIZUCHI_HOME),
    logLevel: env.AIZUCHI_LOG_LEVEL ?? 'info',
    locale: env.AIZUCHI_LOCALE ?? 'ja',
    timeZone: env.AIZUCHI_TIMEZONE ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}

function databaseServiceConfig(
  raw: RawEnv,
  env: Env<(typeof databaseServiceVariables)[number]>,
  server: ServerConfig,
): DatabaseServiceConfig {
  return {
    ...commonConfig(env),
    server,
    databaseUrl: required('DATABASE_URL', env.DATABASE_URL),
    settings: settingsFromEnv(raw),
    retention: retentionFromEnv(raw),
    rateLimitPerMinute: env.RATE_LIMIT_PER_MINUTE ?? 6_000,
    internalToken: required('AIZUCHI_INTERNAL_TOKEN', env.AIZUCHI_INTERNAL_TOKEN),
    ...(env.AIZUCHI_MEMORY_URL && { memoryUrl: env.AIZUCHI_MEMORY_URL.replace(/\/+$/, '') }),
  };
}

function hostId(): string {
  return (
    hostname()
      .replace(/[^\w.-]/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, 64) || 'coordinator'
  );
}

function required(name: string, value: string | undefined): string {
  if (value !== undefined) return value;
  throw new ExitError(
    exitCodes.configuration,
    `${name} must be set when this service is started on its own.`,
  );
}
