import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';

const storedSchema = z.object({ contextSince: z.string(), token: z.string() });

/**
 * The resume token of an agent's chat session, as a file in the home of the account that runs the agent. What a token names
 * (the transcript of Claude Code, the sessions of an ACP agent) lies in the same home, so both are there or both are
 * gone. The token is stored by provider: another provider cannot read it; and with the context to which it belongs: when
 * a person has begun a fresh one, whether the agent ran then or not, it is not continued.
 */
export class ResumeStore {
  readonly #file: string | undefined;
  #writing: Promise<void> = Promise.resolve();

  /** `home` undefined: nothing is stored. */
  constructor(home: string | undefined, key: { provider: string; projectId: string; agentId: string }) {
    const folder = join('.local', 'state', 'aizuchi', 'agent-sessions', key.projectId);
    if (home && key.projectId && key.agentId)
      this.#file = join(home, folder, `${key.agentId}.${key.provider}`);
  }

  /** `contextSince`: as the sign-in gave it. */
  async read(contextSince: string): Promise<string | undefined> {
    if (!this.#file) return undefined;
    try {
      const stored = storedSchema.parse(JSON.parse(await readFile(this.#file, 'utf8')));
      return stored.contextSince === contextSince ? stored.token : undefined;
    } catch {
      // There is none, or it cannot be read: the agent begins anew, as without a home.
      return undefined;
    }
  }

  /** Replaces the token as a whole. Rejects when the home cannot be written. */
  async write(contextSince: string, token: string): Promise<void> {
    const writing = this.#writing.then(() => this.#write(JSON.stringify({ contextSince, token })));
    this.#writing = writing.catch(() => undefined);
    await writing;
  }

  async #write(text: string): Promise<void> {
    if (!this.#file) return;
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    const partial = `${this.#file}.${process.pid}.partial`;
    await writeFile(partial, text, { mode: 0o600 });
    await rename(partial, this.#file);
  }
}
