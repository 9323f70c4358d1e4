type Verdict = 'ok' | 'FAILED' | 'not here';

/** What came of one attack. */
export interface Outcome {
  readonly row: number;
  readonly name: string;
  readonly happened: string;
  readonly verdict: Verdict;
}

const LONGEST = 700;

/** The table as Markdown: the same on a screen and in a document. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const rows = outcomes
    .toSorted((a, b) => a.row - b.row)
    .map(({ row, name, happened, verdict }) => [String(row), name, cell(happened), verdict]);
  const head = ['#', 'attack', 'what happened', 'verdict'];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Nothing gave way, and something was tried. */
export function isGood(outcomes: readonly Outcome[]): boolean {
  return (
    outcomes.some(({ verdict }) => verdict === 'ok') && outcomes.every(({ verdict }) => verdict !== 'FAILED')
  );
}

export function summaryOf(outcomes: readonly Outcome[], tookMs: number): string {
  const count = (verdict: Verdict) => outcomes.filter((outcome) => outcome.verdict === verdict).length;
  return `${count('ok')} ok, ${count('FAILED')} FAILED, ${count('not here')} not here, in ${(tookMs / 1000).toFixed(0)} s.`;
}

/** What the product answered may hold anything: one line, no column of its own. */
function cell(text: string): string {
  const line = text
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .replaceAll('|', '\\|')
    .trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)} …` : line;
}
