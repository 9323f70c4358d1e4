import { once } from 'node:events';
import { type ClientOptions, WebSocket } from 'ws';

export interface Frame {
  readonly type: string;
  readonly cursor?: string;
  readonly [key: string]: unknown;
}

/** A WebSocket that records its frames and waits for those that a test expects. */
export class SocketClient {
  readonly frames: Frame[] = [];
  readonly socket: WebSocket;
  readonly closed: Promise<number>;
  readonly #waiting = new Set<() => void>();

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => {
      this.frames.push(JSON.parse(data.toString()));
      for (const look of this.#waiting) look();
    });
    this.closed = new Promise((resolve) => socket.once('close', (code) => resolve(code)));
  }

  /** Rejects with the HTTP status when the upgrade is refused. */
  static async open(
    port: number,
    headers: Record<string, string>,
    options: ClientOptions = {},
  ): Promise<SocketClient> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/ws`, { headers, ...options });
    const client = new SocketClient(socket);
    await once(socket, 'open');
    return client;
  }

  send(frame: unknown): void {
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  /** The first frame that fits, already received or still to come. */
  async heard(fits: (frame: Frame) => boolean): Promise<Frame> {
    for (;;) {
      const frame = this.frames.find(fits);
      if (frame) return frame;
      await new Promise<void>((resolve) => {
        const look = () => {
          this.#waiting.delete(look);
          resolve();
        };
        this.#waiting.add(look);
      });
    }
  }

  async subscribe(
    projectId: string,
    options: { cursor?: string | undefined; viewerId?: string } = {},
  ): Promise<Frame> {
    const before = this.frames.length;
    this.send({ type: 'subscribe', projectId, ...options });
    return this.heard(
      (frame) =>
        this.frames.indexOf(frame) >= before && frame.type === 'subscribed' && frame.projectId === projectId,
    );
  }

  /** Resolves when the server has handled all frames sent before: answers come in the order of frames. */
  async settled(): Promise<void> {
    const before = this.frames.filter(({ type }) => type === 'pong').length;
    this.send({ type: 'ping' });
    await this.heard(() => this.frames.filter(({ type }) => type === 'pong').length > before);
  }

  async close(): Promise<void> {
    this.socket.close();
    await this.closed;
  }
}
