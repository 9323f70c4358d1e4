import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** How many characters of the program's last output are kept. */
const LAST_WORDS = 2_000;

export interface Program {
  /** Resolves with '' if the program ended well, otherwise with the end of its stderr. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

/** Runs a program with only the given environment, in a process group that is ended as a whole. */
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
  // A run that is interrupted must leave no process behind.
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
