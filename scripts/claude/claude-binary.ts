import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { TESTED_CLAUDE } from '../../packages/coordinator/src/launch/claude/claude-release.ts';
import { claudePackage } from './claude-package.ts';
import { fetchClaude } from './fetch-claude.ts';

/**
 * The Claude Code of the tests, in the cache of this account; fetched when it is not there. AIZUCHI_TEST_CLAUDE names
 * another one, to see with which versions the driver works.
 */
export async function claudeBinary(): Promise<string> {
  const { AIZUCHI_TEST_CLAUDE: other } = process.env;
  if (other) return other;
  const binary = cachedClaude();
  if (!existsSync(binary)) await fetchClaude(binary);
  return binary;
}

export function cachedClaude(): string {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const { name, file } = claudePackage();
  return join(cache, 'aizuchi', `claude-code-${TESTED_CLAUDE.sdk}`, 'node_modules', name, file);
}
