/** The runs whose processes may write in a worktree, from the order to start until their end. */
export class WorkingRuns {
  readonly #ends = new Map<string, PromiseWithResolvers<void>>();
  /** Processes of these could not be ended. */
  readonly #surviving = new Set<string>();

  begin(runId: string): void {
    if (!this.#ends.has(runId)) this.#ends.set(runId, Promise.withResolvers());
  }

  end(runId: string, isAnyLeft: boolean): void {
    if (isAnyLeft) this.#surviving.add(runId);
    this.#ends.get(runId)?.resolve();
    this.#ends.delete(runId);
  }

  /** Resolves when no process of the run writes any more: false, when one of them could not be ended. */
  async over(runId: string): Promise<boolean> {
    await this.#ends.get(runId)?.promise;
    return !this.#surviving.has(runId);
  }
}
