import type { MyTask } from '@aizuchi/shared/contract/tools/task-tools';

/** What the built-in agent can make of a task. */
export type TaskPlan =
  | { readonly kind: 'checklist'; readonly items: readonly string[] }
  | { readonly kind: 'summary' }
  | { readonly kind: 'unknown' };

const ITEM = /^\s*(?:[-*+]\s+\[(?<box>[ xX])\]\s+|[・●]\s*|\d+(?:[)）]|[.．](?!\d))\s*)(?<text>\S.*)$/u;
const BOARD = /board|ボード/iu;
const SUMMARISE = /summar|まとめ|要約/iu;

/** A checklist in the description comes first: it says best what is to be done. Items that are ticked already are left out. */
export function planOf({ title, description }: Pick<MyTask['task'], 'title' | 'description'>): TaskPlan {
  const found = description.split('\n').flatMap((line) => {
    const groups = ITEM.exec(line.trimEnd())?.groups;
    return groups ? [groups] : [];
  });
  if (found.length > 0) {
    const open = found.filter(({ box }) => box === undefined || box === ' ');
    return { kind: 'checklist', items: open.map(({ text = '' }) => text.trim()) };
  }
  const said = `${title}\n${description}`;
  return BOARD.test(said) && SUMMARISE.test(said) ? { kind: 'summary' } : { kind: 'unknown' };
}

export function progressNote(done: number, total: number, item: string): string {
  return `${done}/${total} ${item}`;
}

/**
 * How many of the items an earlier attempt has done. What was saved before the task was last done does not count: it was
 * opened again to be done again. Nor does what was saved of another list.
 */
export function doneBefore(
  items: readonly string[],
  { context, attempts }: Pick<MyTask, 'context' | 'attempts'>,
): number {
  const lastDone = Math.max(
    0,
    ...attempts.filter(({ outcome }) => outcome === 'done').map(({ attempt }) => attempt),
  );
  const notes = new Set(
    context.filter(({ attempt }) => attempt !== null && attempt > lastDone).map(({ text }) => text),
  );
  let done = 0;
  items.forEach((item, index) => {
    if (notes.has(progressNote(index + 1, items.length, item))) done = index + 1;
  });
  return done;
}
