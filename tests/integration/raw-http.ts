import { connect, type Socket } from 'node:net';

/** A connection without a client library: the bytes are sent unchanged. */
export class RawConnection {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  #received = '';
  #onData: () => void = () => undefined;

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('data', (chunk) => {
      this.#received += chunk.toString('latin1');
      this.#onData();
    });
    // A reset counts as a normal close here.
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve()));
  }

  get received(): string {
    return this.#received;
  }

  /** Status of the first answer; 0 if the connection was closed without an answer. */
  async status(): Promise<number> {
    const isThere = () => this.#received.includes('\r\n\r\n');
    while (!isThere() && !this.socket.destroyed)
      await Promise.race([new Promise<void>((resolve) => (this.#onData = resolve)), this.closed]);
    return Number(/^HTTP\/1\.1 (\d{3})/.exec(this.#received)?.[1] ?? 0);
  }

  /** Sends `piece` repeatedly until the other side has closed the connection. */
  async trickle(piece: string, everyMs: number): Promise<void> {
    const timer = setInterval(() => this.socket.write(piece), everyMs);
    await this.closed;
    clearInterval(timer);
  }
}

/** Sends one request unchanged and returns its whole answer; either side may close the connection. */
export async function sendRaw(port: number, text: string): Promise<{ status: number; text: string }> {
  const connection = new RawConnection(port);
  connection.socket.write(text, 'latin1');
  const status = await connection.status();
  connection.socket.end();
  await connection.closed;
  return { status, text: connection.received };
}
