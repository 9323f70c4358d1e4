import { resolve } from 'node:path';
import { isGiven, type RawEnv, secretVariables } from '@aizuchi/shared/platform/config/env';
import { modelVariables } from '@aizuchi/shared/platform/config/model-config';
import { type Secrets, secretFile } from '@aizuchi/shared/platform/config/secrets';
import type { ServiceDefinition } from './services.ts';

export interface ServiceEnvironmentInput {
  raw: RawEnv;
  definition: ServiceDefinition;
  known: readonly ServiceDefinition[];
  /** The url of a service that serves, or will serve at a port that is fixed; undefined: neither. */
  urlOf: (name: string) => string | undefined;
  /** The url of our own database; undefined if the database is not ours. */
  databaseUrlFile: string | undefined;
  home: string;
  port: number;
}

/** Keys of model providers: an agent names the variable of its own (contract/agent.ts). */
const PROVIDER_KEYS = 'AIZUCHI_PROVIDER_';

/**
 * Generated secrets are passed as paths of files, because `ps e`, crash dumps and container tools show the
 * environment. Secrets that the person set in variables are passed as these variables. A service gets only the
 * secrets that it needs.
 */
export function serviceEnvironment(input: ServiceEnvironmentInput): NodeJS.ProcessEnv {
  const { raw, definition, known, urlOf, databaseUrlFile, home, port } = input;
  const env: NodeJS.ProcessEnv = { ...raw, NODE_ENV: 'production', AIZUCHI_HOME: home };
  // A project folder that hangs blocks one thread. libuv has four by default, which other files and DNS need too.
  env.UV_THREADPOOL_SIZE ??= '16';
  const give = (variable: string, file: string | undefined) => {
    const isOurs = !isGiven(raw, variable);
    if (raw[variable]) env[variable] = raw[variable];
    const path = isOurs ? file : raw[`${variable}_FILE`];
    // Services run in the home; a relative path is meant relative to our own working directory.
    if (path) env[`${variable}_FILE`] = resolve(path);
  };
  for (const name of secretVariables) {
    delete env[name];
    delete env[`${name}_FILE`];
  }
  if (!definition.startsAgents)
    for (const name of Object.keys(env)) if (name.startsWith(PROVIDER_KEYS)) delete env[name];
  env[definition.portVariable] = String(port);
  if (!definition.asksModels)
    for (const name of modelVariables) {
      if (name !== 'LLM_MODEL' || !definition.knowsModel) delete env[name];
    }
  else for (const name of ['LLM_API_KEY', 'EMBEDDING_API_KEY']) give(name, undefined);
  if (definition.needsDatabase) give('DATABASE_URL', databaseUrlFile);
  for (const [variable, secret] of Object.entries(definition.secrets))
    give(variable, secretFile(home, secret));
  for (const { name, urlVariable, urlPath } of known) {
    const url = urlOf(name);
    // A variable that is set wins: the other service may be on another host.
    if (urlVariable && url && [...definition.after, ...(definition.knows ?? [])].includes(name))
      env[urlVariable] = raw[urlVariable] || url + (urlPath ?? '');
  }
  return env;
}

/** The secrets that this start needs and that no variable sets. */
export function neededSecrets(
  raw: RawEnv,
  chosen: readonly ServiceDefinition[],
  hasOwnDatabase: boolean,
): Set<keyof Secrets> {
  const needed = new Set<keyof Secrets>(hasOwnDatabase ? ['postgresPassword', 'databasePassword'] : []);
  for (const { secrets } of chosen) {
    for (const [variable, secret] of Object.entries(secrets)) if (!isGiven(raw, variable)) needed.add(secret);
  }
  return needed;
}
