/** What cannot be done with a worktree; the sentence for people is in run-errors.ts. */
export class WorktreeFault extends Error {
  override readonly name = 'WorktreeFault';
  readonly kind: 'tooMany' | 'tooLarge';
  /** How many files, or MiB. */
  readonly count: number;

  constructor(kind: WorktreeFault['kind'], count: number) {
    super(`${kind}: ${count}`);
    this.kind = kind;
    this.count = count;
  }
}
