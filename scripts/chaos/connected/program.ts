import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** How much of its last words is kept of a program. */
const LAST_WORDS = 2_000;

export interface Program {
  /** Resolves with '' when it ended well, else with what it said last on stderr. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

/** A child with an environment made from nothing, in a process group that is ended as one. */
export function runProgram(file: string, args: readonly string[], { env, cwd }: ProgramOptions): Program {
  const child = spawn(file, args, { env, cwd, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  let lastWords = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-LAST_WORDS);
  });
  const kill = () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGKILL');
  };
  // Whoever is interrupted leaves nothing behind.
  process.once('exit', kill);
  const ended = once(child, 'close').then(([code]) => (code === 0 ? '' : `code ${code}: ${lastWords}`));
  return {
    ended,
    async stop() {
      process.off('exit', kill);
      kill();
      await ended;
    },
  };
}

interface ProgramOptions {
  readonly env: Record<string, string>;
  readonly cwd: string;
}
