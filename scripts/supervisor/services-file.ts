import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Home } from './home.ts';
import type { ServiceEntry } from './service-process.ts';

const fileName = 'services.json';
const entries = z.array(
  z.object({ name: z.string(), pid: z.number(), url: z.string(), startedAt: z.string() }),
);

/** Replaces the file atomically: scripts may read it at any time. */
export function writeServicesFile(home: Home, services: ServiceEntry[]): void {
  const path = join(home.run, fileName);
  writeFileSync(`${path}.partial`, `${JSON.stringify(services, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.partial`, path);
}

export function removeServicesFile(home: Home): void {
  rmSync(join(home.run, fileName), { force: true });
}

/** The entries that a start left behind which did not end properly; empty after a proper end. */
export function readServicesFile(home: Pick<Home, 'run'>): ServiceEntry[] {
  try {
    return entries.parse(JSON.parse(readFileSync(join(home.run, fileName), 'utf8')));
  } catch {
    // The file does not exist or is not ours.
    return [];
  }
}
