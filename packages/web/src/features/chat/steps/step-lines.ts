import type { Step } from '@aizuchi/shared/contract/step';

/** One line: a step, or neighbouring reads or searches. */
export interface StepLine {
  /** The id of its first step: it stays the same while the line grows. */
  readonly key: string;
  readonly kind: Step['kind'];
  readonly steps: readonly Step[];
  readonly status: Step['status'];
}

/** While the agent works, more lines than this are folded into one that stands first. */
export const MAX_LINES = 12;

const FOLDING: ReadonlySet<Step['kind']> = new Set(['read', 'search']);

/** Neighbouring reads and searches of the same kind are one line; a failed step always has its own. */
export function linesOf(steps: readonly Step[]): readonly StepLine[] {
  const lines: StepLine[] = [];
  for (const step of steps) {
    const before = lines.at(-1);
    const joins = before?.kind === step.kind && FOLDING.has(step.kind) && isQuiet(step) && isQuiet(before);
    if (before && joins) {
      lines[lines.length - 1] = { ...before, steps: [...before.steps, step], status: step.status };
    } else lines.push({ key: step.id, kind: step.kind, steps: [step], status: step.status });
  }
  return lines;
}

function isQuiet({ status }: { readonly status: Step['status'] }): boolean {
  return status !== 'failed';
}

/** The older lines that are folded, and those that are shown. */
export function foldOlder(lines: readonly StepLine[]): {
  readonly folded: readonly StepLine[];
  readonly shown: readonly StepLine[];
} {
  const count = lines.length > MAX_LINES ? lines.length - (MAX_LINES - 1) : 0;
  return { folded: lines.slice(0, count), shown: lines.slice(count) };
}

/** What the folded line of an answer says. */
export interface StepSummary {
  readonly count: number;
  readonly failed: number;
  /** The last step that does something has succeeded after a failed one. */
  readonly hasRecovered: boolean;
}

export function summaryOf(steps: readonly Step[]): StepSummary {
  const failed = steps.filter(({ status }) => status === 'failed').length;
  const last = steps.findLast(({ kind }) => kind !== 'thought');
  return { count: steps.length, failed, hasRecovered: failed > 0 && last?.status === 'done' };
}

/** The last edit stands open while the agent works. */
export function lastEdit(lines: readonly StepLine[]): string | undefined {
  return lines.findLast(({ steps }) => steps.some(({ diff }) => diff !== undefined))?.key;
}
