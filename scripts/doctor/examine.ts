import { access, constants, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RawEnv } from '@aizuchi/shared/platform/config/env';
import { ExitError } from '@aizuchi/shared/platform/process-lifecycle';
import { isAlive, readPostmaster } from '../postgres/postmaster-file.ts';
import { isSuperuser, useForeignDatabase } from '../supervisor/database.ts';
import { checkPorts } from '../supervisor/ports.ts';
import { services } from '../supervisor/services.ts';
import { readServicesFile } from '../supervisor/services-file.ts';
import { loadSupervisorConfig, type SupervisorConfig } from '../supervisor/supervisor-config.ts';
import { agentFindings } from './agents.ts';
import { claudeFindings } from './claude.ts';
import { containerFindings } from './containers.ts';
import { bad, type Finding, good, note } from './finding.ts';
import { gitFinding } from './git.ts';

const NEEDED_NODE = 24;
const READY_TIMEOUT_MS = 2_000;

/** Checks everything that a start needs, and changes nothing. */
export async function examine(env: RawEnv): Promise<Finding[]> {
  const found = [versions()];
  let config: SupervisorConfig;
  try {
    config = await loadSupervisorConfig(env, services);
  } catch (error) {
    if (!(error instanceof ExitError)) throw error;
    return [...found, bad('settings', error.message)];
  }
  found.push(good('settings', `Services: ${config.services.map(({ name }) => name).join(', ')}.`));
  found.push(...(await homeFindings(config.home)));
  found.push(await databaseFinding(config));
  found.push(...(await serviceFindings(config)));
  for (const root of config.workspaceRoots) found.push(await rootFinding(root));
  found.push(...(await claudeFindings(config.home, env)), await gitFinding(env.PATH ?? ''));
  found.push(...(await agentFindings(config.home)), ...(await containerFindings(env, config)));
  return found;
}

function versions(): Finding {
  const { node } = process.versions;
  const system = `${process.platform} ${process.arch}`;
  return Number(node.split('.')[0]) >= NEEDED_NODE
    ? good('versions', `Node ${node} on ${system}.`)
    : bad('versions', `Node ${node} is too old for the services: npm run doctor brings Node ${NEEDED_NODE}.`);
}

/** Checks the permissions that the contract requires, and reports secrets that other accounts can read. */
async function homeFindings(home: string): Promise<Finding[]> {
  const stats = await stat(home).catch(() => undefined);
  if (!stats) return [good('home', `${home} will be made at the first start.`)];
  if (!stats.isDirectory()) return [bad('home', `${home} is not a folder: set AIZUCHI_HOME.`)];
  const writable = await access(home, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!writable) return [bad('home', `${home} cannot be written by this account: set AIZUCHI_HOME.`)];
  const open = await openToOthers(join(home, 'secrets'));
  return [
    good('home', `${home} is ours.`),
    open.length === 0
      ? good('permissions', 'Secrets can be read by this account only.')
      : bad('permissions', `Others can read ${open.join(', ')}: chmod -R go= ${join(home, 'secrets')}`),
  ];
}

async function openToOthers(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const paths = [folder, ...names.map((name) => join(folder, name))];
  const open: string[] = [];
  for (const path of paths) {
    const stats = await stat(path).catch(() => undefined);
    if (stats && (stats.mode & 0o077) !== 0) open.push(path);
  }
  return open;
}

async function databaseFinding(config: SupervisorConfig): Promise<Finding> {
  if (config.databaseUrl !== undefined) {
    const { hostname, pathname } = new URL(config.databaseUrl);
    const place = `Postgres on ${hostname}${pathname}`;
    try {
      const { url } = await useForeignDatabase(config.databaseUrl);
      return (await isSuperuser(url))
        ? note('database', `${place} answers. The role is a superuser: one that owns its database suffices.`)
        : good('database', `${place} answers, is new enough and speaks UTF-8.`);
    } catch (error) {
      if (!(error instanceof ExitError)) throw error;
      return bad('database', error.message);
    }
  }
  const postmaster = await readPostmaster(join(config.home, 'data', 'postgres')).catch(() => undefined);
  return postmaster && isAlive(postmaster.pid)
    ? good('database', `The embedded Postgres runs on port ${postmaster.port}.`)
    : good('database', 'The embedded Postgres is started with the product.');
}

/** A running service must be ready; for one that does not run, its port must be free. */
async function serviceFindings(config: SupervisorConfig): Promise<Finding[]> {
  const running = readServicesFile({ run: join(config.home, 'run') }).filter(({ pid }) => isAlive(pid));
  return Promise.all(
    config.services.map(async (service): Promise<Finding> => {
      const entry = running.find(({ name }) => name === service.name);
      if (entry) return readyFinding(service.name, entry.url);
      try {
        await checkPorts({ ...config, services: [service] });
        const port = config.ports.get(service.name) ?? 0;
        return good(service.name, port === 0 ? 'It takes any free port.' : `Port ${port} is free.`);
      } catch (error) {
        if (!(error instanceof ExitError)) throw error;
        return bad(service.name, error.message);
      }
    }),
  );
}

async function readyFinding(name: string, url: string): Promise<Finding> {
  const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(READY_TIMEOUT_MS) }).catch(
    () => undefined,
  );
  if (response?.ok) return good(name, `It runs and serves at ${url}.`);
  const why = response === undefined ? 'does not answer' : 'cannot serve now';
  return bad(name, `It runs at ${url} but ${why}: see its log in the home's folder logs.`);
}

async function rootFinding(root: string): Promise<Finding> {
  return access(root, constants.R_OK | constants.X_OK).then(
    () => good('working directories', `Projects may lie in ${root}.`),
    () =>
      note(
        'working directories',
        `${root} is not there yet, or cannot be entered: see AIZUCHI_WORKSPACE_ROOTS.`,
      ),
  );
}
