import type { Launch } from '@aizuchi/shared/contract/launch';
import type { Driver, DriverSession, SessionOptions } from '../../driver.ts';
import { LaunchError } from '../../launch.ts';
import { ClaudeSession } from './claude-session.ts';
import type { ClaudeHost } from './query-options.ts';

/** Claude Code, as it is installed on this host, through the Claude Agent SDK: one warm session for each run. */
export class ClaudeDriver implements Driver {
  readonly #host: ClaudeHost;

  constructor(host: ClaudeHost) {
    this.#host = host;
  }

  /** Never rejects: a program that cannot be started is tried again by each turn, which says what is wrong. */
  async open(options: SessionOptions): Promise<DriverSession> {
    const session = new ClaudeSession(this.#host, options);
    await session.startEarly();
    return session;
  }
}

/** The driver of a run: in the working directory and environment that the Coordinator has chosen. */
export function claudeDriver({ command, model, baseUrl, apiKey }: Launch): ClaudeDriver {
  if (!command) throw new LaunchError('The launch names no Claude Code.');
  return new ClaudeDriver({
    executable: command.file,
    cwd: process.cwd(),
    env: {
      ...process.env,
      ...(baseUrl !== undefined && { ANTHROPIC_BASE_URL: baseUrl }),
      ...(apiKey !== undefined && { ANTHROPIC_API_KEY: apiKey }),
    },
    ...(model !== undefined && { model }),
  });
}
