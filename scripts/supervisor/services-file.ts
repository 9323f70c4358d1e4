import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Home } from './home.ts';
import type { ServiceEntry } from './service-process.ts';

const fileName = 'services.json';
const entries = z.array(
  z.object({ name: z.string(), pid: z.number(), url: z.string(), startedAt: z.string() }),
);

/** Whole at every moment: people's scripts read it while we write. */
export function writeServicesFile(home: Home, services: ServiceEntry[]): void {
  const path = join(home.run, fileName);
  writeFileSync(`${path}.partial`, `${JSON.stringify(services, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.partial`, path);
}

export function removeServicesFile(home: Home): void {
  rmSync(join(home.run, fileName), { force: true });
}

/** What a start that did not end properly left written; empty after a proper end. */
export function readServicesFile(home: Pick<Home, 'run'>): ServiceEntry[] {
  try {
    return entries.parse(JSON.parse(readFileSync(join(home.run, fileName), 'utf8')));
  } catch {
    // Absent, or not ours: nothing to know from it.
    return [];
  }
}
