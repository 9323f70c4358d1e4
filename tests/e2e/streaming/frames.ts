import { WS_PATH } from '@aizuchi/shared/contract/ws';
import { z } from 'zod';
import { until } from '../start/product-process.ts';

const frameSchema = z.looseObject({
  type: z.string(),
  messageId: z.string().optional(),
  text: z.string().optional(),
  offset: z.number().optional(),
  message: z.looseObject({ id: z.string(), sender: z.string(), content: z.string() }).optional(),
});
export type Frame = z.infer<typeof frameSchema>;

/** Records the frames that a page receives about a project, in order. */
export class Frames {
  readonly seen: Frame[] = [];
  readonly #socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) =>
      this.seen.push(frameSchema.parse(JSON.parse(String(data)))),
    );
  }

  static async follow(webUrl: string, token: string, projectId: string): Promise<Frames> {
    const url = webUrl.replace(/^http/, 'ws') + WS_PATH;
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } });
    const frames = new Frames(socket);
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('error', reject);
    });
    socket.send(JSON.stringify({ type: 'subscribe', projectId }));
    await frames.first(({ type }) => type === 'subscribed');
    return frames;
  }

  /** The first frame that matches, as soon as it has arrived. */
  async first(matches: (frame: Frame) => boolean): Promise<Frame> {
    let found: Frame | undefined;
    await until(() => {
      found = this.seen.find(matches);
      return found !== undefined;
    });
    if (!found) throw new Error('not reached: until() throws');
    return found;
  }

  delta(text: string): Promise<Frame> {
    return this.first((frame) => frame.type === 'message_delta' && frame.text === text);
  }

  close(): void {
    this.#socket.close();
  }
}
