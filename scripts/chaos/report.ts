import type { Reckoning } from './reckoning.ts';

/** The sum of all faults of one round. */
export interface RoundResult {
  readonly name: string;
  readonly faults: number;
  /** Why it was not tried. */
  readonly absent?: string;
  readonly recoveriesMs: readonly number[];
  readonly sum: Reckoning;
}

export const nothing: Reckoning = {
  acknowledged: 0,
  lost: 0,
  doubled: 0,
  unseen: 0,
  repeated: 0,
  failed: 0,
  orphans: 0,
  violations: [],
};

export function add(a: Reckoning, b: Reckoning): Reckoning {
  return {
    acknowledged: a.acknowledged + b.acknowledged,
    lost: a.lost + b.lost,
    doubled: a.doubled + b.doubled,
    unseen: a.unseen + b.unseen,
    repeated: a.repeated + b.repeated,
    failed: a.failed + b.failed,
    orphans: a.orphans + b.orphans,
    violations: [...a.violations, ...b.violations],
  };
}

export function isGood({ lost, doubled, unseen, orphans, violations }: Reckoning): boolean {
  return lost === 0 && doubled === 0 && unseen === 0 && orphans === 0 && violations.length === 0;
}

const HEAD = [
  'round',
  'kills',
  'acknowledged',
  'lost',
  'doubled',
  'answered without having been given',
  'repeated, marked',
  'failed, told',
  'orphans',
  'recovery, median / worst',
];

/** The table of rounds as Markdown, for the terminal and for docs/reliability.md. */
export function tableOf(results: readonly RoundResult[]): string {
  const rows = results.map((result) =>
    result.absent === undefined
      ? [result.name, result.faults, ...counts(result.sum), recovery(result.recoveriesMs)]
      : [result.name, `– (${result.absent})`, ...HEAD.slice(2).map(() => '–')],
  );
  const faults = results.reduce((total, result) => total + result.faults, 0);
  const sum = results.map((result) => result.sum).reduce(add, nothing);
  const all = ['all', faults, ...counts(sum), recovery(results.flatMap((result) => result.recoveriesMs))];
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  return [HEAD, HEAD.map(() => '---'), ...rows, all].map(line).join('\n');
}

function counts(sum: Reckoning): number[] {
  return [sum.acknowledged, sum.lost, sum.doubled, sum.unseen, sum.repeated, sum.failed, sum.orphans];
}

function recovery(milliseconds: readonly number[]): string {
  const sorted = [...milliseconds].sort((a, b) => a - b);
  const worst = sorted.at(-1);
  const median = sorted[Math.floor((sorted.length - 1) / 2)];
  if (worst === undefined || median === undefined) return '–';
  const seconds = (value: number) => (value / 1000).toFixed(1);
  return `${seconds(median)} / ${seconds(worst)} s`;
}
