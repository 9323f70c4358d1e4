import { type ChildProcess, spawn } from 'node:child_process';
import { within } from '../../../within.ts';
import { linesOf } from '../../process/lines.ts';
import { killTree } from '../../process/process-tree.ts';
import type { Program } from '../known-agents.ts';

export interface ProgramOptions extends Program {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: (sentence: string) => void;
  /** Makes secrets unreadable: what the program writes is repeated to people. */
  readonly hide: (text: string) => string;
  /** Lines of its log on stderr, which say nothing about why it ended. */
  readonly chatter?: RegExp | undefined;
}

export interface ProgramEnd {
  /** `exit code 1`, `SIGKILL`, or a code of the system: `ENOENT`. */
  readonly how: string;
  /** The last line on its stderr that is not of its log. */
  readonly said: string;
}

/** Between SIGTERM and SIGKILL. The runner waits three seconds for a session to close. */
const GRACE_MS = 2_000;
/** Its last words may come after its end. */
const LAST_WORDS_MS = 200;
const MAX_STDERR_LINE_BYTES = 8_192;

/**
 * The process of an agent program: a child in the process group of the runner, which the Coordinator ends as a whole.
 * Its stdout is the protocol, its stderr goes to the log of the run.
 */
export class AgentProgram {
  readonly #child: ChildProcess;
  readonly #options: ProgramOptions;
  readonly ended: Promise<ProgramEnd>;
  #said = '';

  constructor(options: ProgramOptions) {
    const { file, args, cwd, env } = options;
    this.#options = options;
    this.#child = spawn(file, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
    // A program that has ended closes its stdin: its end says why.
    this.#child.stdin?.on('error', () => undefined);
    this.ended = this.#untilEnd(this.#readStderr());
  }

  get stdin(): NonNullable<ChildProcess['stdin']> {
    return required(this.#child.stdin);
  }

  get stdout(): NonNullable<ChildProcess['stdout']> {
    return required(this.#child.stdout);
  }

  /** SIGTERM first, so that the program ends what it has started; what is left after two seconds is killed. */
  async stop(): Promise<void> {
    const { pid } = this.#child;
    if (pid === undefined || this.#hasEnded()) return;
    this.#child.stdin?.end();
    this.#child.kill('SIGTERM');
    if (await within(GRACE_MS, this.ended)) return;
    await killTree(pid);
    await this.ended;
  }

  #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async #untilEnd(stderrRead: Promise<void>): Promise<ProgramEnd> {
    const how = await new Promise<string>((resolve) => {
      this.#child.once('error', (error: NodeJS.ErrnoException) => {
        // A signal that could not be sent is reported as an error, too.
        if (this.#child.pid === undefined) resolve(error.code ?? error.message);
      });
      this.#child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
    });
    await within(LAST_WORDS_MS, stderrRead);
    return { how, said: this.#said };
  }

  async #readStderr(): Promise<void> {
    const { log, hide, chatter } = this.#options;
    try {
      for await (const line of linesOf(required(this.#child.stderr), MAX_STDERR_LINE_BYTES)) {
        const text = hide(line.toString()).trim();
        if (text === '') continue;
        if (!chatter?.test(text)) this.#said = text;
        log(`agent: ${text}`);
      }
    } catch {
      // The pipe broke with the process.
    }
  }
}

function required<T>(stream: T | null): T {
  if (stream === null) throw new Error('the program was started without pipes');
  return stream;
}
