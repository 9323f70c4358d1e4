import { z } from 'zod';
import { type FollowedProject, followProject } from './project-frames.ts';

const frameSchema = z.object({ type: z.string(), runId: z.string().optional() });

/** Waits on one WebSocket for frames of runs: these are the only frames for which the server reads nothing else. */
export class RunFrames {
  readonly #socket: WebSocket;
  readonly #waiting: Map<string, (at: number) => void>;

  private constructor(socket: WebSocket, waiting: Map<string, (at: number) => void>) {
    this.#socket = socket;
    this.#waiting = waiting;
  }

  static async follow(of: FollowedProject): Promise<RunFrames> {
    const waiting = new Map<string, (at: number) => void>();
    const socket = await followProject(of, (frame, at) => {
      const { runId } = frameSchema.parse(frame);
      if (runId !== undefined) waiting.get(runId)?.(at);
    });
    return new RunFrames(socket, waiting);
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
