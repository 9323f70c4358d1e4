import { z } from 'zod';
import { type FollowedProject, followProject } from './project-frames.ts';

const frameSchema = z.looseObject({
  type: z.string(),
  message: z.looseObject({ sender: z.string() }).optional(),
});

/** When the next answer of an agent came to a client: its first text, and the stored message. */
export interface AnswerMoments {
  readonly firstText: Promise<number>;
  readonly stored: Promise<number>;
}

interface Listener {
  onText(at: number): void;
  onStored(at: number): void;
}

/** Waits on one WebSocket for the answers in a project with one agent. */
export class AnswerFrames {
  readonly #socket: WebSocket;
  readonly #seen: Listener;

  private constructor(socket: WebSocket, seen: Listener) {
    this.#socket = socket;
    this.#seen = seen;
  }

  static async follow(of: FollowedProject): Promise<AnswerFrames> {
    const seen: Listener = { onText: () => undefined, onStored: () => undefined };
    const socket = await followProject(of, (frame, at) => {
      const { type, message } = frameSchema.parse(frame);
      const isStored = type === 'message' && message?.sender === 'agent';
      // An answer that is stored at once has no text before.
      if (type === 'message_delta' || isStored) seen.onText(at);
      if (isStored) seen.onStored(at);
    });
    return new AnswerFrames(socket, seen);
  }

  /** Of the answer that comes next. */
  next(): AnswerMoments {
    const [firstText, stored] = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
    this.#seen.onText = firstText.resolve;
    this.#seen.onStored = stored.resolve;
    return { firstText: firstText.promise, stored: stored.promise };
  }

  close(): void {
    this.#socket.close();
  }
}
