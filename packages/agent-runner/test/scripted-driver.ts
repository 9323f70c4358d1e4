import type { ConversationOver, Driver, DriverSession, SessionOptions, Turn } from '../src/driver.ts';
import type { TurnEvent } from '../src/turn-events.ts';

export type ScriptedRun = (turn: Turn, session: SessionOptions) => AsyncIterable<TurnEvent>;

export const DONE: TurnEvent = { type: 'end', reason: 'done' };
export const INTERRUPTED: TurnEvent = { type: 'end', reason: 'interrupted' };

export function text(piece: string): TurnEvent {
  return { type: 'text', text: piece };
}

/** Resolves when the turn is interrupted. */
export function untilInterrupted({ signal }: Turn): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve());
  });
}

/** A model or program whose turns a test writes: the n-th turn is the n-th script, the last one from then on. */
export class ScriptedDriver implements Driver {
  readonly opened: SessionOptions[] = [];
  readonly turns: Turn[] = [];
  closed = 0;
  readonly #scripts: readonly ScriptedRun[];
  readonly #concurrentTurns: boolean;
  readonly #onOpen: (options: SessionOptions, count: number) => void | Promise<void>;
  readonly #onOver: (over: ConversationOver, options: SessionOptions) => Promise<void>;

  constructor(
    scripts: ScriptedRun | readonly ScriptedRun[],
    options: {
      concurrentTurns?: boolean;
      onOpen?: (options: SessionOptions, count: number) => void | Promise<void>;
      onOver?: (over: ConversationOver, options: SessionOptions) => Promise<void>;
    } = {},
  ) {
    this.#scripts = typeof scripts === 'function' ? [scripts] : scripts;
    this.#concurrentTurns = options.concurrentTurns ?? false;
    this.#onOpen = options.onOpen ?? (() => undefined);
    this.#onOver = options.onOver ?? (async () => undefined);
  }

  async open(options: SessionOptions): Promise<DriverSession> {
    this.opened.push(options);
    await this.#onOpen(options, this.opened.length);
    return {
      concurrentTurns: this.#concurrentTurns,
      run: (turn) => {
        const script = this.#scripts[this.turns.length] ?? this.#scripts.at(-1);
        if (!script) throw new Error('there is no script for this turn');
        this.turns.push(turn);
        return script(turn, options);
      },
      conversationOver: (over) => this.#onOver(over, options),
      close: async () => {
        this.closed += 1;
      },
    };
  }
}
