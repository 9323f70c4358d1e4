import type { Socket } from 'node:net';
import type { RunLog } from '../../../log/run-log.ts';
import type { RunErrorTexts, SaidReason } from '../../../texts/run-errors.ts';
import { OwnLookups } from './own-lookups.ts';
import type { Resolve } from './resolve.ts';

/** Of one run at once, at the proxy and the relay together; a further one is refused. */
const MAX_CONNECTIONS = 256;
/** Lines in the log about hosts that were refused; a run that tries names without end does not fill it. */
const MAX_SAID = 100;

export interface KeptRunOptions {
  readonly egress: readonly string[];
  readonly log: Pick<RunLog, 'write'>;
  /** In no line of the log, also when a host is called so. */
  readonly secrets: readonly string[];
}

/** A run that reaches only what its list names. */
export class KeptRun {
  readonly egress: readonly string[];
  readonly #options: KeptRunOptions;
  readonly #said = new Set<string>();
  readonly #sockets = new Set<Socket>();
  readonly #lookups = new OwnLookups();
  #isOver = false;

  constructor(options: KeptRunOptions) {
    this.egress = options.egress;
    this.#options = options;
  }

  get isFull(): boolean {
    return this.#sockets.size >= MAX_CONNECTIONS;
  }

  /** It is cut when the run ends; one of a run that has ended is cut at once. */
  add(socket: Socket): void {
    if (this.#isOver) return void socket.destroy();
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  resolve(name: string, resolve: Resolve): ReturnType<Resolve> {
    return this.#lookups.resolve(name, resolve);
  }

  /** Once in its log, so that a person sees why it gets no further. */
  say({ text }: SaidReason): void {
    if (this.#said.has(text) || this.#said.size >= MAX_SAID) return;
    this.#said.add(text);
    const { log, secrets } = this.#options;
    // A name is in lower case where it comes from an address of HTTP.
    const lower = text.toLowerCase();
    if (secrets.some((secret) => lower.includes(secret.toLowerCase()))) return;
    void log.write(Buffer.from(`${text}\n`)).catch(() => undefined);
  }

  end(): void {
    this.#isOver = true;
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** The runs that are kept to a list now, by the address of their container: it cannot take another. */
export class KeptRuns {
  readonly texts: RunErrorTexts;
  readonly #byAddress = new Map<string, KeptRun>();
  readonly #bySocket = new WeakMap<Socket, KeptRun>();

  constructor(texts: RunErrorTexts) {
    this.texts = texts;
  }

  /** Returns what ends it. */
  add(address: string, options: KeptRunOptions): () => void {
    const run = new KeptRun(options);
    // The engine may have given the address of a container that has ended before we have seen that.
    this.#byAddress.get(address)?.end();
    this.#byAddress.set(address, run);
    return () => {
      run.end();
      if (this.#byAddress.get(address) === run) this.#byAddress.delete(address);
    };
  }

  /** Whose connection it is. Undefined, and it is cut: of none of them, or it has too many. */
  admit(socket: Socket): KeptRun | undefined {
    const run = this.#byAddress.get(socket.remoteAddress ?? '');
    if (!run || run.isFull) {
      socket.destroy();
      return undefined;
    }
    run.add(socket);
    this.#bySocket.set(socket, run);
    return run;
  }

  /** Of one that was admitted. */
  of(socket: Socket): KeptRun | undefined {
    return this.#bySocket.get(socket);
  }
}
