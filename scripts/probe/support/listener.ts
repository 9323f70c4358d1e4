import { until } from '../../../tests/e2e/start/product-process.ts';

/** A WebSocket that keeps what it hears. */
export class Listener {
  readonly #socket: WebSocket;
  readonly frames: string[] = [];
  /** Of its end; undefined while it is open. */
  closedWith: number | undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.frames.push(String(data)));
    socket.addEventListener('close', ({ code }) => {
      this.closedWith = code;
    });
    socket.addEventListener('error', () => socket.close());
  }

  /** Open and subscribed, or closed: look at `closedWith`. */
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
