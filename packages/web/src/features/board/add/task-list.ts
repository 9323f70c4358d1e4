/** A longer list is not taken: it would be many calls, and a mistake more often than a wish. */
export const MAX_ITEMS = 100;
const MAX_TITLE = 500;

export interface ListedTask {
  readonly title: string;
  readonly isDone: boolean;
  /** The index of the task that it is a part of; undefined: of none. */
  readonly parent: number | undefined;
}

const ITEM = /^([ \t]*)(?:[-*+]|\d+[.)])[ \t]+(?:\[([ xX])\][ \t]+)?(\S.*)$/;

/**
 * The tasks in a list as GitHub writes it (`- [ ] title`); items that are further to the right are parts of the one
 * above. Other lines are left out. A text without any item with a box is no list of tasks, and gives none.
 */
export function readTaskList(text: string): readonly ListedTask[] {
  const found = text.split(/\r?\n/).flatMap((line) => {
    const [, space = '', mark, title = ''] = ITEM.exec(line) ?? [];
    if (title === '') return [];
    const indent = space.replaceAll('\t', '    ').length;
    return [{ indent, mark, title: cut(title.trim()) }];
  });
  if (!found.some(({ mark }) => mark !== undefined)) return [];
  const open: { readonly indent: number; readonly index: number }[] = [];
  return found.map(({ indent, mark, title }, index) => {
    while ((open.at(-1)?.indent ?? -1) >= indent) open.pop();
    const parent = open.at(-1)?.index;
    open.push({ indent, index });
    return { title, isDone: mark === 'x' || mark === 'X', parent };
  });
}

function cut(title: string): string {
  const characters = [...title];
  return characters.length <= MAX_TITLE ? title : `${characters.slice(0, MAX_TITLE - 1).join('')}…`;
}
