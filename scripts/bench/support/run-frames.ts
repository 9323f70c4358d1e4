import { once } from 'node:events';
import { z } from 'zod';

const frameSchema = z.object({ type: z.string(), runId: z.string().optional() });

/** Waits on one WebSocket for frames of runs: these are the only frames for which the server reads nothing else. */
export class RunFrames {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<string, (at: number) => void>();

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const at = performance.now();
      const { runId } = frameSchema.parse(JSON.parse(String(data)));
      if (runId !== undefined) this.#waiting.get(runId)?.(at);
    });
  }

  static async follow(of: { webUrl: string; token: string; projectId: string }): Promise<RunFrames> {
    const url = `${of.webUrl.replace(/^http/, 'ws')}/api/ws`;
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${of.token}` } });
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('error', () => reject(new Error('The WebSocket was refused.')));
    });
    const frames = new RunFrames(socket);
    socket.send(JSON.stringify({ type: 'subscribe', projectId: of.projectId }));
    await once(socket, 'message');
    return frames;
  }

  /** Resolves with the moment at which the frame of this run arrived. */
  seen(runId: string): Promise<number> {
    return new Promise((resolve) => {
      this.#waiting.set(runId, (at) => {
        this.#waiting.delete(runId);
        resolve(at);
      });
    });
  }

  close(): void {
    this.#socket.close();
  }
}
