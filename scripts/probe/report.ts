type Verdict = 'ok' | 'FAILED' | 'not here';

/** The result of one attack. */
export interface Outcome {
  readonly row: number;
  readonly name: string;
  readonly happened: string;
  readonly verdict: Verdict;
}

const LONGEST = 700;

/** The table as Markdown, for the terminal and for documents. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const rows = outcomes
    .toSorted((a, b) => a.row - b.row)
    .map(({ row, name, happened, verdict }) => [String(row), name, cell(happened), verdict]);
  const head = ['#', 'attack', 'what happened', 'verdict'];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** True if no attack succeeded and at least one was tried. */
export function isGood(outcomes: readonly Outcome[]): boolean {
  return (
    outcomes.some(({ verdict }) => verdict === 'ok') && outcomes.every(({ verdict }) => verdict !== 'FAILED')
  );
}

export function summaryOf(outcomes: readonly Outcome[], tookMs: number): string {
  const count = (verdict: Verdict) => outcomes.filter((outcome) => outcome.verdict === verdict).length;
  return `${count('ok')} ok, ${count('FAILED')} FAILED, ${count('not here')} not here, in ${(tookMs / 1000).toFixed(0)} s.`;
}

/** Text of the product may contain anything; in the table it is one line in one column. */
function cell(text: string): string {
  const line = text
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .replaceAll('|', '\\|')
    .trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)} …` : line;
}
