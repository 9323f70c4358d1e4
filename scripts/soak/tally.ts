/** Counts in how many rounds each test failed. */
export class Tally {
  readonly #red = new Map<string, number>();
  #rounds = 0;

  /** Adds one round, with the names of its failed tests. */
  add(red: Iterable<string>): void {
    this.#rounds += 1;
    for (const name of new Set(red)) this.#red.set(name, (this.#red.get(name) ?? 0) + 1);
  }

  get isGreen(): boolean {
    return this.#red.size === 0;
  }

  /** One line per test, the highest rate first. */
  lines(): string[] {
    if (this.#red.size === 0) return [`rounds without a red test: ${this.#rounds}`];
    const byRate = [...this.#red].sort(([one, a], [other, b]) => b - a || one.localeCompare(other));
    return byRate.map(([name, times]) => `red ${times} of ${this.#rounds}  ${name}`);
  }
}
