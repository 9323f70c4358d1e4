import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * The resume token of an agent's chat session, as a file in the home of the account that runs the agent. What a token names
 * (the transcript of Claude Code, the sessions of an ACP agent) lies in the same home, so both are there or both are
 * gone. The token is stored by provider: another provider cannot read it.
 */
export class ResumeStore {
  readonly #file: string | undefined;

  /** `home` undefined: nothing is stored. */
  constructor(home: string | undefined, key: { provider: string; projectId: string; agentId: string }) {
    const folder = join('.local', 'state', 'aizuchi', 'agent-sessions', key.projectId);
    if (home && key.projectId && key.agentId)
      this.#file = join(home, folder, `${key.agentId}.${key.provider}`);
  }

  async read(): Promise<string | undefined> {
    if (!this.#file) return undefined;
    return readFile(this.#file, 'utf8').catch(() => undefined);
  }

  /** Replaces the token as a whole. Rejects when the home cannot be written. */
  async write(token: string): Promise<void> {
    if (!this.#file) return;
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    const partial = `${this.#file}.${process.pid}.partial`;
    await writeFile(partial, token, { mode: 0o600 });
    await rename(partial, this.#file);
  }

  async forget(): Promise<void> {
    if (this.#file) await rm(this.#file, { force: true });
  }
}
