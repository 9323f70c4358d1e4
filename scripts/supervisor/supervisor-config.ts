import {
  homeDirectory,
  type Locale,
  serverConfig,
  settingsFromEnv,
  workspaceRoots,
} from '@aizuchi/shared/platform/config/config';
import { isGiven, type RawEnv, readEnv, variableNames } from '@aizuchi/shared/platform/config/env';
import { modelConfig } from '@aizuchi/shared/platform/config/model-config';
import { readCoordinatorToken } from '@aizuchi/shared/platform/config/secrets';
import { ExitError, exitCodes } from '@aizuchi/shared/platform/process-lifecycle';
import type { ServiceDefinition } from './services.ts';

export interface SupervisorConfig {
  home: string;
  host: string;
  publicUrl?: string;
  locale: Locale;
  /** Else it is the default. */
  isLocaleGiven: boolean;
  logLevel: string;
  workspaceRoots: string[];
  /** Undefined: the embedded database. */
  databaseUrl?: string;
  ownerPasskey?: string;
  /** The chosen services, in the order of the list. */
  services: ServiceDefinition[];
  /** The port that each of them shall listen on. */
  ports: Map<string, number>;
}

/** Validates everything before anything starts, including the variables that only a service reads. */
export async function loadSupervisorConfig(
  raw: RawEnv,
  known: readonly ServiceDefinition[],
): Promise<SupervisorConfig> {
  const env = readEnv(raw, variableNames);
  settingsFromEnv(raw);
  modelConfig(env);
  const server = serverConfig(env, 0);
  const services = chooseServices(env.AIZUCHI_SERVICES, known);
  const home = homeDirectory(env.AIZUCHI_HOME);
  for (const service of services) await checkRequirements(service, services, raw, home);
  return {
    home,
    host: server.host,
    ...(server.publicUrl && { publicUrl: server.publicUrl }),
    locale: env.AIZUCHI_LOCALE ?? 'ja',
    isLocaleGiven: env.AIZUCHI_LOCALE !== undefined,
    logLevel: env.AIZUCHI_LOG_LEVEL ?? 'info',
    workspaceRoots: workspaceRoots(env, server),
    ...(env.DATABASE_URL && { databaseUrl: env.DATABASE_URL }),
    ...(env.AIZUCHI_OWNER_PASSKEY && { ownerPasskey: env.AIZUCHI_OWNER_PASSKEY }),
    services,
    ports: new Map(
      services.map(({ name, portVariable, defaultPort }) => {
        const given = env[portVariable];
        return [name, typeof given === 'number' ? given : defaultPort];
      }),
    ),
  };
}

function chooseServices(
  chosen: string[] | undefined,
  known: readonly ServiceDefinition[],
): ServiceDefinition[] {
  if (!chosen || chosen.length === 0) return [...known];
  const stranger = chosen.find((name) => !known.some((service) => service.name === name));
  if (stranger) {
    const names = known.map((service) => service.name).join(', ');
    throw configurationError(`AIZUCHI_SERVICES names ${stranger}, which is none of ${names}.`);
  }
  return known.filter((service) => chosen.includes(service.name));
}

async function checkRequirements(
  service: ServiceDefinition,
  chosen: ServiceDefinition[],
  raw: RawEnv,
  home: string,
): Promise<void> {
  for (const { variable, givenBy } of service.requires) {
    if (isGiven(raw, variable) || chosen.some((other) => other.name === givenBy)) continue;
    if (variable === 'MCP_COORDINATOR_TOKEN' && (await readCoordinatorToken(home))) continue;
    throw configurationError(`${variable} must be set to run ${service.name} without ${givenBy}.`);
  }
}

function configurationError(sentence: string): ExitError {
  return new ExitError(exitCodes.configuration, sentence);
}
