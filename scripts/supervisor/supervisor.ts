/**
 * One start of the product, in order: settings, home, database, schema, first start, services. It ends in the
 * opposite order, within ten seconds, for any reason.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RawEnv } from '@aizuchi/shared/platform/config/env';
import { loadSecrets, type Secrets, writeDatabaseUrl } from '@aizuchi/shared/platform/config/secrets';
import { AppError } from '@aizuchi/shared/platform/errors';
import { createLogger, type Logger } from '@aizuchi/shared/platform/logger';
import {
  ExitError,
  exitCodes,
  exitWith,
  waitForStopRequest,
} from '@aizuchi/shared/platform/process-lifecycle';
import { pino } from 'pino';
import { findPostgresAccount } from '../postgres/account.ts';
import { asDatabaseError, type Database, startOwnDatabase, useForeignDatabase } from './database.ts';
import { type Home, prepareHome } from './home.ts';
import { waitForLeftovers } from './leftovers.ts';
import { LogFile } from './log-file.ts';
import { checkPorts } from './ports.ts';
import { terminalLog } from './readable-log.ts';
import { prepareRunnerFiles } from './runner-files.ts';
import { neededSecrets, serviceEnvironment } from './service-environment.ts';
import { reachableUrl, type ServiceEntry, ServiceProcess } from './service-process.ts';
import { type ServiceDefinition, webService } from './services.ts';
import { readServicesFile, removeServicesFile, writeServicesFile } from './services-file.ts';
import { loadSupervisorConfig, type SupervisorConfig } from './supervisor-config.ts';
import { makeWorkspaceRoots } from './workspace-roots.ts';

/** Together with three seconds for the database less than the ten seconds of the contract. */
const serviceTimeoutMs = 6_500;
const stepTimeoutMs = 8_000;
/** How long a service waits for the services that call it, so that these can still make their last calls. */
const callersTimeoutMs = 3_000;

/** What is done to the database before the services start. `main.ts` passes it, so that tests can leave it out. */
interface FirstStart {
  migrate(databaseUrl: string): Promise<void>;
  seed(options: {
    databaseUrl: string;
    ownerPasskey?: string;
    locale: SupervisorConfig['locale'];
    isLocaleGiven: boolean;
    workspaceRoots: string[];
    home: string;
    internalToken?: string;
  }): Promise<{ ownerPasskey?: string }>;
  createSignInCode(options: { databaseUrl: string; agentId: string }): Promise<string>;
}

export interface SupervisorOptions {
  env: RawEnv;
  services: readonly ServiceDefinition[];
  firstStart: FirstStart;
}

interface StartContext {
  config: SupervisorConfig;
  home: Home;
  logger: Logger;
  secrets: Partial<Secrets>;
}

/** Runs until it is told to stop, then ends the process with the exit code of the contract. */
export async function runSupervisor(options: SupervisorOptions): Promise<never> {
  const stopRequested = waitForStopRequest();
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreClosedPipe);
  const supervisor = new Supervisor(options);
  const started = supervisor.start();
  const outcome = await Promise.race([
    stopRequested.then((reason) => ({ reason, failure: undefined })),
    started.then(
      () => new Promise<never>(() => undefined),
      (failure: unknown) => ({ reason: 'could not start', failure }),
    ),
  ]);
  await supervisor.stop(outcome.reason, started);
  if (outcome.failure !== undefined) exitWith(outcome.failure);
  process.exit(exitCodes.stopped);
}

/** `npm start | head -1` must not end the product half-way. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #stopping = new AbortController();
  readonly #services = new Map<string, ServiceProcess>();
  /** Opened together with the home. Errors before that are reported only as their one sentence. */
  #logger: Logger | undefined;
  #home: Home | undefined;
  #database: Database | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { env, services } = this.#options;
    const config = await loadSupervisorConfig(env, services);
    const home = await prepareHome(config.home, await asDatabaseError(findPostgresAccount()));
    this.#home = home;
    const logger = openLog(home, config.logLevel);
    this.#logger = logger;
    await waitForLeftovers(readServicesFile(home), services, logger);
    removeServicesFile(home);
    await checkPorts(config);
    const needed = neededSecrets(env, config.services, usesOwnDatabase(config));
    const secrets = await loadSecrets(home.path, needed);
    const context = { config, home, logger, secrets };
    const ownerPasskey = await this.#prepareDatabase(context);
    await this.#startServices(context);
    await this.#announce(config, ownerPasskey);
  }

  async stop(reason: string, started: Promise<void>): Promise<void> {
    this.#logger?.info({ reason }, 'stopping');
    this.#stopping.abort();
    await this.#stopServices();
    // A step of the start that is in progress ends by itself; what it opened is closed below.
    const timeout = sleep(stepTimeoutMs, undefined, { ref: false });
    await Promise.race([started.catch(() => undefined), timeout]);
    await this.#database?.stop();
    if (this.#home) removeServicesFile(this.#home);
    this.#logger?.info('stopped');
  }

  async #prepareDatabase({ config, home, logger, secrets }: StartContext): Promise<string | undefined> {
    if (usesOwnDatabase(config)) {
      this.#database = await startOwnDatabase(
        home,
        { superuser: secrets.postgresPassword ?? '', services: secrets.databasePassword ?? '' },
        { logger, signal: this.#stopping.signal },
      );
    } else if (config.databaseUrl && needsDatabase(config)) {
      this.#database = await useForeignDatabase(config.databaseUrl);
    } else {
      return undefined;
    }
    this.#stopping.signal.throwIfAborted();
    const { env, firstStart } = this.#options;
    const internalToken = env.AIZUCHI_INTERNAL_TOKEN || secrets.internalToken;
    await firstStart.migrate(this.#database.url);
    await makeWorkspaceRoots(config.workspaceRoots);
    const seeded = await firstStart
      .seed({
        databaseUrl: this.#database.url,
        ...(config.ownerPasskey && { ownerPasskey: config.ownerPasskey }),
        locale: config.locale,
        isLocaleGiven: config.isLocaleGiven,
        workspaceRoots: config.workspaceRoots,
        home: home.path,
        ...(internalToken && { internalToken }),
      })
      .catch((error: unknown) => {
        // An AppError, such as a folder that may not be used, is shown to the person who started the product.
        if (!(error instanceof AppError)) throw error;
        throw new ExitError(exitCodes.configuration, `The first project cannot be made: ${error.message}`);
      });
    return seeded.ownerPasskey;
  }

  /** Starts each service as soon as those before it serve. */
  async #startServices({ config, home, logger }: StartContext): Promise<void> {
    const runnerVariables = await prepareRunnerFiles(home);
    const databaseUrlFile =
      this.#database && usesOwnDatabase(config)
        ? await writeDatabaseUrl(home.path, this.#database.url)
        : undefined;
    const serving = new Map<string, Promise<ServiceEntry>>();
    const startOne = async (definition: ServiceDefinition): Promise<ServiceEntry> => {
      const unknown = (definition.knows ?? []).filter((name) => !this.#urlOf(config, name));
      await Promise.all([...definition.after, ...unknown].map((name) => serving.get(name)));
      this.#stopping.signal.throwIfAborted();
      const service = new ServiceProcess({
        definition,
        cwd: home.path,
        port: config.ports.get(definition.name) ?? definition.defaultPort,
        environment: (port) => ({
          ...serviceEnvironment({
            raw: this.#options.env,
            definition,
            known: this.#options.services,
            urlOf: (name) => this.#urlOf(config, name),
            databaseUrlFile,
            home: home.path,
            port,
          }),
          ...runnerVariables,
        }),
        logger: logger.child({ supervised: definition.name }),
        logFile: new LogFile(join(home.logs, `${definition.name}.log`)),
        onServing: () => writeServicesFile(home, this.#entries()),
      });
      this.#services.set(definition.name, service);
      return service.start();
    };
    for (const definition of inStartOrder(config.services))
      serving.set(definition.name, startOne(definition));
    await Promise.all(serving.values());
  }

  /** Stops the callers first: the Coordinator still reports what became of its agents. */
  async #stopServices(): Promise<void> {
    const startedAt = Date.now();
    const stopped = new Map<string, Promise<unknown>>();
    for (const definition of inStartOrder(this.#options.services).reverse()) {
      const service = this.#services.get(definition.name);
      if (!service) continue;
      const callers = this.#options.services.filter((other) => callsOf(other).includes(definition.name));
      const callersStopped = Promise.all(callers.map(({ name }) => stopped.get(name)));
      const stop = async () => {
        await Promise.race([callersStopped, sleep(callersTimeoutMs, undefined, { ref: false })]);
        await service.stop(serviceTimeoutMs - (Date.now() - startedAt));
      };
      stopped.set(definition.name, stop());
    }
    await Promise.all(stopped.values());
  }

  #urlOf({ ports, host }: SupervisorConfig, name: string): string | undefined {
    const serving = this.#entries().find((entry) => entry.name === name);
    const port = ports.get(name);
    return serving?.url ?? (port ? reachableUrl(`http://${inUrl(host)}:${port}`) : undefined);
  }

  #entries(): ServiceEntry[] {
    return [...this.#services.values()].flatMap((service) => service.entry ?? []);
  }

  async #announce(config: SupervisorConfig, ownerPasskey: string | undefined): Promise<void> {
    this.#stopping.signal.throwIfAborted();
    const entries = this.#entries();
    const web = entries.find((entry) => entry.name === webService);
    if (ownerPasskey) say(`AIZUCHI OWNER PASSKEY ${ownerPasskey}`);
    if (web && this.#database) {
      const code = await this.#options.firstStart.createSignInCode({
        databaseUrl: this.#database.url,
        agentId: 'owner',
      });
      say(`AIZUCHI SIGN-IN ${config.publicUrl ?? web.url}/login#code=${code}`);
    }
    const first = entries.find((entry) => entry.name === config.services[0]?.name);
    say(`AIZUCHI READY ${(web ?? first)?.url ?? ''}`);
  }
}

function needsDatabase(config: SupervisorConfig): boolean {
  return config.services.some((service) => service.needsDatabase);
}

function usesOwnDatabase(config: SupervisorConfig): boolean {
  return needsDatabase(config) && !config.databaseUrl;
}

/** Services that others wait for come first, so that a waiting service finds them. */
function inStartOrder(services: readonly ServiceDefinition[]): ServiceDefinition[] {
  const ordered: ServiceDefinition[] = [];
  const visit = (definition: ServiceDefinition): void => {
    if (ordered.includes(definition)) return;
    for (const other of services) if (callsOf(definition).includes(other.name)) visit(other);
    ordered.push(definition);
  };
  for (const definition of services) visit(definition);
  return ordered;
}

/** The services that this one calls. */
function callsOf({ after, knows = [] }: ServiceDefinition): string[] {
  return [...after, ...knows];
}

function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function openLog(home: Home, level: string): Logger {
  const file = new LogFile(join(home.logs, 'supervisor.log'));
  const destination = pino.multistream([
    { level: 'trace', stream: terminalLog(process.stderr) },
    { level: 'trace', stream: file },
  ]);
  return createLogger('supervisor', { level, destination });
}

/**
 * Prints a line of the contract; nothing else is written to stdout. On a terminal, where the log is shown too, the line
 * stands apart from it.
 */
function say(line: string): void {
  process.stdout.write(process.stdout.isTTY ? `\n${line}\n` : `${line}\n`);
}
