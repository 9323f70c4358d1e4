import { join } from 'node:path';

/** The Claude Code of the Agent SDK in our lockfile: what the tests run with, and `npm run add-claude` fetches. */
export const TESTED_CLAUDE = { sdk: '0.3.330', version: '2.1.330' } as const;

/**
 * The oldest Claude Code with which the driver's tests were run, and which takes our server and the token of the session
 * by stdin. With 2.1.300 no session begins.
 */
export const OLDEST_CLAUDE = '2.1.330';

/** Where `npm run add-claude` puts it: the accounts of agents can execute what is there. */
export function addedClaude(home: string): string {
  return join(home, 'run', 'bin', `claude-${TESTED_CLAUDE.version}`);
}

/** Numbers with dots. */
export function isOlder(version: string, least: string): boolean {
  const [left, right] = [version, least].map((text) => text.split('.').map(Number));
  for (const [index, number] of (right ?? []).entries()) {
    const difference = (left?.[index] ?? 0) - number;
    if (difference !== 0) return difference < 0;
  }
  return false;
}
