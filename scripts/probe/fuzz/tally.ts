import type { judge } from './judge.ts';
import type { Call } from './templates.ts';

const MAX_EXAMPLES = 8;

/** Counts answers by status, and collects all violations. */
export class Tally {
  readonly say: (line: string) => void;
  readonly #statuses = new Map<string, number>();
  readonly #faults = new Map<string, number>();
  #examples = 0;

  constructor(say: (line: string) => void) {
    this.say = say;
  }

  add(call: Call, caller: string, { status, fault }: ReturnType<typeof judge>, text: string): void {
    const key = `${call.kind === 'rest' ? 'REST' : 'MCP '} ${status}`;
    this.#statuses.set(key, (this.#statuses.get(key) ?? 0) + 1);
    if (fault === undefined) return;
    const named = `${call.operation} ${fault.replaceAll(/[\d.]+ s/g, 'too long')}`;
    const count = (this.#faults.get(named) ?? 0) + 1;
    this.#faults.set(named, count);
    if (count > 1 || this.#examples >= MAX_EXAMPLES) return;
    this.#examples += 1;
    const { kind: _, operation: __, ...rest } = call;
    this.say(
      `FAULT as ${caller}: ${call.operation} ${JSON.stringify(rest).slice(0, 600)} → ${fault}: ${text.slice(0, 300)}`,
    );
  }

  lines(): string[] {
    return [...this.#statuses]
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([status, count]) => `${String(count).padStart(6)}  ${status}`);
  }

  faults(): string[] {
    return [...this.#faults].map(([fault, count]) => `${count} × ${fault}`);
  }

  summary(): string {
    const sum = (pattern: RegExp) =>
      [...this.#statuses].reduce((total, [status, count]) => total + (pattern.test(status) ? count : 0), 0);
    return `REST ${sum(/^REST 2/)} × 2xx, ${sum(/^REST 4/)} × 4xx, ${sum(/^REST 5/)} × 5xx; MCP ${sum(/^MCP {2}200$/)} done, ${sum(/^MCP .* ./) - sum(/^MCP {2}200$/)} refused`;
  }
}
