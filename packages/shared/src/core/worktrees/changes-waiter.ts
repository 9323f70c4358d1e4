import { keys } from '../../platform/change-log/keys.ts';

/** A lost hint delays an answer by this much. */
const LOOK_AGAIN_MS = 500;

/** Waits in memory until something of a project may have changed. */
export class ChangesWaiter {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Resolves at the next change of the project, or after half a second; a reader then looks again. */
  async wait(projectId: string): Promise<void> {
    const key = keys.log(projectId);
    const waiting = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, waiting);
    await new Promise<void>((resolve) => {
      const go = () => {
        clearTimeout(timer);
        waiting.delete(go);
        if (waiting.size === 0) this.#waiting.delete(key);
        resolve();
      };
      const timer = setTimeout(go, LOOK_AGAIN_MS);
      waiting.add(go);
    });
  }

  onKeys(changed: readonly string[]): void {
    for (const key of changed) for (const go of [...(this.#waiting.get(key) ?? [])]) go();
  }
}
