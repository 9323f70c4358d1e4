import { type AddressInfo, createServer, type Server, Socket } from 'node:net';

/** What it does to everything that passes. */
export interface Weather {
  /** Every piece waits this long, in both directions. */
  readonly delayMs: number;
  /** The first piece of each answer is lost together with its connection: the server did it, the caller never hears. */
  readonly losesAnswers: boolean;
}

const CALM: Weather = { delayMs: 0, losesAnswers: false };

/** A TCP proxy that knows nothing of what it carries: it delays, loses answers, and cuts connections with a reset. */
export class CuttingProxy {
  readonly #server: Server;
  readonly #targetPort: number;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #weather = CALM;
  /** Connections that were cut, answers lost with theirs included. */
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

  set weather(weather: Partial<Weather>) {
    this.#weather = { ...CALM, ...weather };
  }

  cutAll(): void {
    for (const pair of this.#pairs) this.#cut(pair);
  }

  async close(): Promise<void> {
    this.cutAll();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #carry(caller: Socket): void {
    const target = new Socket();
    const pair = [caller, target] as const;
    this.#pairs.add(pair);
    for (const [from, to] of [
      [caller, target],
      [target, caller],
    ] as const) {
      from.on('data', (chunk) => {
        if (from === target && this.#weather.losesAnswers) return this.#cut(pair);
        this.#later(() => to.write(chunk));
      });
      from.on('end', () => this.#later(() => to.end()));
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#pairs.delete(pair);
        this.#later(() => to.destroy());
      });
    }
    target.connect(this.#targetPort, '127.0.0.1');
  }

  #later(action: () => void): void {
    if (this.#weather.delayMs === 0) action();
    else setTimeout(action, this.#weather.delayMs);
  }

  #cut(pair: readonly [Socket, Socket]): void {
    if (!this.#pairs.delete(pair)) return;
    this.cuts += 1;
    for (const socket of pair) socket.resetAndDestroy();
  }
}
