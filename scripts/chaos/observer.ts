import { setTimeout as sleep } from 'node:timers/promises';
import { WS_PATH } from '@aizuchi/shared/contract/ws';
import { z } from 'zod';

const RECONNECT_MS = 200;
const frameSchema = z.looseObject({
  type: z.string(),
  cursor: z.string().optional(),
  reset: z.boolean().optional(),
  message: z.looseObject({ id: z.string(), state: z.string() }).optional(),
});

/**
 * A page that follows one project by WebSocket. It reconnects with its cursor, and must miss nothing and see nothing
 * twice.
 */
export class Observer {
  readonly #url: string;
  readonly #token: string;
  readonly #projectId: string;
  readonly #cursors = new Set<string>();
  readonly #states = new Map<string, string>();
  #socket: WebSocket | undefined;
  #cursor: string | undefined;
  #isClosing = false;
  readonly #looking: Promise<void>;
  #repeated = 0;
  readonly complaints: string[] = [];

  constructor(webUrl: string, token: string, projectId: string) {
    this.#url = webUrl.replace(/^http/, 'ws') + WS_PATH;
    this.#token = token;
    this.#projectId = projectId;
    this.#looking = this.#look();
  }

  /** The last state of a message that it saw. */
  stateOf(messageId: string): string | undefined {
    return this.#states.get(messageId);
  }

  /** Returns and resets the number of frames that were received twice. */
  takeRepeated(): number {
    const repeated = this.#repeated;
    this.#repeated = 0;
    return repeated;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#socket?.close();
    await this.#looking;
  }

  async #look(): Promise<void> {
    while (!this.#isClosing) {
      await this.#connection();
      await sleep(RECONNECT_MS);
    }
  }

  #connection(): Promise<void> {
    const socket = new WebSocket(this.#url, { headers: { authorization: `Bearer ${this.#token}` } });
    this.#socket = socket;
    return new Promise((resolve) => {
      socket.addEventListener('open', () =>
        socket.send(
          JSON.stringify({
            type: 'subscribe',
            projectId: this.#projectId,
            ...(this.#cursor !== undefined && { cursor: this.#cursor }),
          }),
        ),
      );
      socket.addEventListener('message', ({ data }) =>
        this.#see(frameSchema.parse(JSON.parse(String(data)))),
      );
      socket.addEventListener('error', () => socket.close());
      socket.addEventListener('close', () => resolve());
    });
  }

  #see(frame: z.infer<typeof frameSchema>): void {
    if (frame.type === 'subscribed') {
      if (frame.reset && this.#cursor !== undefined)
        this.complaints.push(`the WebSocket of ${this.#projectId} lost its place`);
      this.#cursor ??= frame.cursor;
      return;
    }
    if (frame.cursor === undefined) return;
    if (this.#cursors.has(frame.cursor)) this.#repeated += 1;
    this.#cursors.add(frame.cursor);
    this.#cursor = frame.cursor;
    if (frame.message) this.#states.set(frame.message.id, frame.message.state);
  }
}
