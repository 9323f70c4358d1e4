import { type AddressInfo, createServer, type Server, Socket } from 'node:net';

/** What the proxy does to all traffic. */
export interface Interference {
  /** Delay of every chunk, in both directions. */
  readonly delayMs: number;
  /**
   * The first chunk of each answer is dropped and its connection reset: the server has finished, the caller gets no
   * answer.
   */
  readonly losesAnswers: boolean;
}

const NO_INTERFERENCE: Interference = { delayMs: 0, losesAnswers: false };

/** A TCP proxy that does not know the protocol it carries: it delays, drops answers, and resets connections. */
export class CuttingProxy {
  readonly #server: Server;
  readonly #targetPort: number;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #interference = NO_INTERFERENCE;
  /** Number of connections that were cut, including those with dropped answers. */
  cuts = 0;

  private constructor(targetPort: number) {
    this.#targetPort = targetPort;
    this.#server = createServer((caller) => this.#carry(caller));
  }

  static async open(targetPort: number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(targetPort);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  set interference(interference: Partial<Interference>) {
    this.#interference = { ...NO_INTERFERENCE, ...interference };
  }

  cutAll(): void {
    for (const sockets of this.#pairs) this.#cut(sockets);
  }

  async close(): Promise<void> {
    this.cutAll();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #carry(caller: Socket): void {
    const target = new Socket();
    const sockets = [caller, target] as const;
    this.#pairs.add(sockets);
    for (const [from, to] of [
      [caller, target],
      [target, caller],
    ] as const) {
      from.on('data', (chunk) => {
        if (from === target && this.#interference.losesAnswers) return this.#cut(sockets);
        this.#later(() => to.write(chunk));
      });
      from.on('end', () => this.#later(() => to.end()));
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#pairs.delete(sockets);
        this.#later(() => to.destroy());
      });
    }
    target.connect(this.#targetPort, '127.0.0.1');
  }

  #later(action: () => void): void {
    if (this.#interference.delayMs === 0) action();
    else setTimeout(action, this.#interference.delayMs);
  }

  #cut(sockets: readonly [Socket, Socket]): void {
    if (!this.#pairs.delete(sockets)) return;
    this.cuts += 1;
    for (const socket of sockets) socket.resetAndDestroy();
  }
}
