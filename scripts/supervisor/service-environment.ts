import type { RawEnv } from '@aizuchi/shared/config/env';
import type { Secrets } from '@aizuchi/shared/config/secrets';
import type { ServiceEntry } from './service-process.ts';
import type { ServiceDefinition } from './services.ts';

/** Never inherited: a service is given the secrets that it needs, and no other. */
const secretVariables = [
  'AIZUCHI_OWNER_PASSKEY',
  'AIZUCHI_INTERNAL_TOKEN',
  'MCP_COORDINATOR_TOKEN',
  'DATABASE_URL',
];

export interface ServiceEnvironmentInput {
  raw: RawEnv;
  definition: ServiceDefinition;
  known: readonly ServiceDefinition[];
  serving: readonly ServiceEntry[];
  secrets: Partial<Secrets>;
  databaseUrl: string | undefined;
  home: string;
  port: number;
}

export function serviceEnvironment(input: ServiceEnvironmentInput): NodeJS.ProcessEnv {
  const { raw, definition, known, serving, secrets, databaseUrl, home, port } = input;
  const env: NodeJS.ProcessEnv = { ...raw, NODE_ENV: 'production', AIZUCHI_HOME: home };
  // A project folder that hangs keeps one thread; libuv's four would also be those of other files and DNS.
  env.UV_THREADPOOL_SIZE ??= '16';
  for (const name of secretVariables) delete env[name];
  env[definition.portVariable] = String(port);
  if (definition.needsDatabase && databaseUrl) env.DATABASE_URL = databaseUrl;
  for (const [variable, secret] of Object.entries(definition.secrets)) {
    env[variable] = raw[variable] || secrets[secret];
  }
  for (const { name, urlVariable, urlPath } of known) {
    const url = serving.find((entry) => entry.name === name)?.url;
    // What somebody has set wins: a service may have its sibling on another host.
    if (urlVariable && url && definition.after.includes(name))
      env[urlVariable] = raw[urlVariable] || url + (urlPath ?? '');
  }
  return env;
}

/** The secrets that this start must have: what no variable gives. */
export function neededSecrets(
  raw: RawEnv,
  chosen: readonly ServiceDefinition[],
  hasOwnDatabase: boolean,
): Set<keyof Secrets> {
  const needed = new Set<keyof Secrets>(hasOwnDatabase ? ['postgresPassword'] : []);
  for (const { secrets } of chosen) {
    for (const [variable, secret] of Object.entries(secrets)) if (!raw[variable]) needed.add(secret);
  }
  return needed;
}
