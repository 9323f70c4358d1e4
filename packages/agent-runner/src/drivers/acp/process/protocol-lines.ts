import { z } from 'zod';
import { linesOf } from '../../process/lines.ts';
import type { ProgramOptions } from './agent-program.ts';

/** Longer than any message of an agent: whole files go through it. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
/** In one process: a program in the wrong mode writes more, a stray print of a library less. */
const MAX_RUBBISH_BYTES = 256 * 1024;
const LOGGED_LINES = 20;
const LOGGED_LENGTH = 500;

const messageSchema = z.looseObject({ jsonrpc: z.literal('2.0') });
const NEWLINE = Buffer.from('\n');

/**
 * Reads the messages of the protocol from stdout. What a library prints there goes to the log, and the session goes
 * on; when it is too much, the reading ends.
 */
export class ProtocolReader {
  readonly #log: (sentence: string) => void;
  readonly #hide: (text: string) => string;
  #lines = 0;
  #bytes = 0;
  #lastRubbish = '';

  constructor({ log, hide }: Pick<ProgramOptions, 'log' | 'hide'>) {
    this.#log = log;
    this.#hide = hide;
  }

  /** The last line that was no message, for a person; empty: there was none. */
  get lastRubbish(): string {
    return this.#lastRubbish;
  }

  get isFlooded(): boolean {
    return this.#bytes > MAX_RUBBISH_BYTES;
  }

  async *messages(stdout: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array, void, void> {
    for await (const line of linesOf(stdout, MAX_LINE_BYTES)) {
      if (isMessage(line)) yield Buffer.concat([line, NEWLINE]);
      else this.#rubbish(line);
      if (this.isFlooded) return;
    }
  }

  #rubbish(line: Buffer): void {
    // Hidden before it is cut: a part of a secret would not be found.
    const text = this.#hide(line.toString('utf8', 0, 2 * LOGGED_LENGTH))
      .slice(0, LOGGED_LENGTH)
      .trim();
    this.#bytes += line.length;
    if (text === '') return;
    this.#lines += 1;
    this.#lastRubbish = text;
    if (this.#lines <= LOGGED_LINES) this.#log(`on stdout, and not of the protocol: ${text}`);
    else if (this.#lines === LOGGED_LINES + 1) this.#log('more such lines follow and are left out');
  }
}

function isMessage(line: Buffer): boolean {
  try {
    return messageSchema.safeParse(JSON.parse(line.toString())).success;
  } catch {
    return false;
  }
}
