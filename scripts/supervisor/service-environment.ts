import { resolve } from 'node:path';
import { isGiven, type RawEnv, secretVariables } from '@aizuchi/shared/platform/config/env';
import { type Secrets, secretFile } from '@aizuchi/shared/platform/config/secrets';
import type { ServiceEntry } from './service-process.ts';
import type { ServiceDefinition } from './services.ts';

export interface ServiceEnvironmentInput {
  raw: RawEnv;
  definition: ServiceDefinition;
  known: readonly ServiceDefinition[];
  serving: readonly ServiceEntry[];
  /** Of our own database; undefined when somebody has given one. */
  databaseUrlFile: string | undefined;
  home: string;
  port: number;
}

/**
 * Secrets go as the paths of their files, since an environment is shown by `ps e`, crash dumps and container tools; those
 * that somebody has given go as they were given. None that the service does not need.
 */
export function serviceEnvironment(input: ServiceEnvironmentInput): NodeJS.ProcessEnv {
  const { raw, definition, known, serving, databaseUrlFile, home, port } = input;
  const env: NodeJS.ProcessEnv = { ...raw, NODE_ENV: 'production', AIZUCHI_HOME: home };
  // A project folder that hangs keeps one thread; libuv's four would also be those of other files and DNS.
  env.UV_THREADPOOL_SIZE ??= '16';
  const give = (variable: string, file: string | undefined) => {
    const isOurs = !isGiven(raw, variable);
    if (raw[variable]) env[variable] = raw[variable];
    const path = isOurs ? file : raw[`${variable}_FILE`];
    // Services work in the home; whoever gave the path meant it from here.
    if (path) env[`${variable}_FILE`] = resolve(path);
  };
  for (const name of secretVariables) {
    delete env[name];
    delete env[`${name}_FILE`];
  }
  env[definition.portVariable] = String(port);
  if (definition.needsDatabase) give('DATABASE_URL', databaseUrlFile);
  for (const [variable, secret] of Object.entries(definition.secrets))
    give(variable, secretFile(home, secret));
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
  const needed = new Set<keyof Secrets>(hasOwnDatabase ? ['postgresPassword', 'databasePassword'] : []);
  for (const { secrets } of chosen) {
    for (const [variable, secret] of Object.entries(secrets)) if (!isGiven(raw, variable)) needed.add(secret);
  }
  return needed;
}
