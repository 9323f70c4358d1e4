/** One item of a checklist in markdown: `- [ ] text`, also in a quote or a numbered list. */
const ITEM = /^((?:\s|>)*(?:[-*+]|\d+[.)])\s+\[)([ xX])(\]\s)/;

/** The line as it stands in the text, without its mark: by this an item is found again in a newer text. */
function nameOf(line: string): string {
  return line.replace(ITEM, '$1 $3');
}

/** An item of a text: what it says, and how many with the same words come before it. */
export interface ChecklistItem {
  readonly name: string;
  readonly nth: number;
}

/** The item in this line of the text, counted from 1; undefined: there is none. */
export function itemAt(text: string, line: number): ChecklistItem | undefined {
  const lines = text.split('\n');
  const own = lines[line - 1];
  if (own === undefined || !ITEM.test(own)) return undefined;
  const name = nameOf(own);
  return {
    name,
    nth: lines.slice(0, line - 1).filter((one) => ITEM.test(one) && nameOf(one) === name).length,
  };
}

/** The text with this item ticked or not; undefined: somebody has removed it or changed its words. */
export function withTick(text: string, item: ChecklistItem, isTicked: boolean): string | undefined {
  let before = 0;
  let isFound = false;
  const lines = text.split('\n').map((line) => {
    if (isFound || !ITEM.test(line) || nameOf(line) !== item.name) return line;
    isFound = before === item.nth;
    before += 1;
    return isFound ? line.replace(ITEM, `$1${isTicked ? 'x' : ' '}$3`) : line;
  });
  return isFound ? lines.join('\n') : undefined;
}

/** How many items there are, and how many are ticked. */
export function checklistCount(text: string): { readonly total: number; readonly done: number } {
  const marks = text.split('\n').flatMap((line) => ITEM.exec(line)?.[2] ?? []);
  return { total: marks.length, done: marks.filter((mark) => mark !== ' ').length };
}
