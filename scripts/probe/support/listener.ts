import { until } from '../../../tests/e2e/start/product-process.ts';

/** A WebSocket that records what it receives. */
export class Listener {
  readonly #socket: WebSocket;
  readonly frames: string[] = [];
  /** The close code; undefined while the socket is open. */
  closedWith: number | undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.frames.push(String(data)));
    socket.addEventListener('close', ({ code }) => {
      this.closedWith = code;
    });
    socket.addEventListener('error', () => socket.close());
  }

  /** Resolves when it is open and subscribed, or closed: check `closedWith`. */
  static async open(web: string, headers: Record<string, string>, projectId?: string): Promise<Listener> {
    const socket = new WebSocket(`${web.replace(/^http/, 'ws')}/api/ws`, { headers });
    const listener = new Listener(socket);
    await until(() => socket.readyState !== WebSocket.CONNECTING, 10_000);
    if (projectId !== undefined && socket.readyState === WebSocket.OPEN) {
      listener.send({ type: 'subscribe', projectId });
      await until(() => listener.frames.length > 0 || listener.closedWith !== undefined, 10_000);
    }
    return listener;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  send(frame: object): void {
    this.#socket.send(JSON.stringify(frame));
  }

  close(): void {
    this.#socket.close();
  }
}
