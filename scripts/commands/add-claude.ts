/**
 * `npm run add-claude`: fetches the tested Claude Code (175 MB) into the home of Aizuchi, for a host without one of its
 * own. Ctrl-C leaves nothing behind. A second call does nothing.
 */
import { homeDirectory } from '@aizuchi/shared/platform/config/config';
import { readEnv, variableNames } from '@aizuchi/shared/platform/config/env';
import { ExitError, exitCodes } from '@aizuchi/shared/platform/process-lifecycle';
import { addedClaude, TESTED_CLAUDE } from '../../packages/coordinator/src/launch/claude/claude-release.ts';
import { addClaude } from '../claude/add-claude.ts';

const INTERRUPTED = 130;

const stop = new AbortController();
// Not `once`: execa ends this process by the signal when it finds no other listener.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());
process.exit(await add());

async function add(): Promise<number> {
  try {
    const home = homeDirectory(readEnv(process.env, variableNames).AIZUCHI_HOME);
    const isNew = await addClaude(home, stop.signal);
    const { version } = TESTED_CLAUDE;
    console.error(
      isNew
        ? `Claude Code ${version} is in ${addedClaude(home)}. Agents use it where PATH has none that is new enough.`
        : `Claude Code ${version} is there already: ${addedClaude(home)}.`,
    );
    return exitCodes.stopped;
  } catch (error) {
    if (stop.signal.aborted) return INTERRUPTED;
    console.error(error instanceof Error ? error.message : String(error));
    console.error(
      'Claude Code was not added. Is the npm registry reached, and are 600 MB free? Run it again then.',
    );
    return error instanceof ExitError ? error.exitCode : 1;
  }
}
