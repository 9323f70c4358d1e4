import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@aizuchi/shared/platform/logger';
import { execa } from 'execa';
import { isAlive } from '../postgres/postmaster-file.ts';
import type { ServiceEntry } from './service-process.ts';
import type { ServiceDefinition } from './services.ts';

const timeoutMs = 8_000;

/**
 * The services of a killed supervisor end by themselves, but hold their ports until then. Waits for them, and kills
 * those that do not end. A pid alone proves nothing: the process must run the service's file.
 */
export async function waitForLeftovers(
  entries: ServiceEntry[],
  services: readonly ServiceDefinition[],
  logger: Logger,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (const { name, pid } of entries) {
    const entry = services.find((service) => service.name === name)?.entry;
    if (!entry || !(await runs(pid, entry))) continue;
    logger.warn({ leftover: name, leftoverPid: pid }, 'waiting for a service of a killed supervisor');
    while (isAlive(pid) && Date.now() < deadline) await sleep(50);
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  }
}

async function runs(pid: number, entry: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (process.platform === 'linux') {
    const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return commandLine.split('\0').includes(entry);
  }
  const { stdout } = await execa('ps', ['-o', 'args=', '-p', String(pid)], { reject: false });
  return stdout?.includes(entry) ?? false;
}
