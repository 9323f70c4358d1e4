import type { RefObject } from 'react';
import { useShortcut } from '../../lib/hooks/use-shortcut.ts';

/**
 * J and K move the focus from row to row; `key` acts on the row that has it. `act` returns whether that row goes away:
 * then the next one takes the focus.
 */
export function useRowKeys(
  list: RefObject<HTMLElement | null>,
  key: string,
  act: (row: number) => boolean,
): void {
  useShortcut('j', () => moveFocus(list.current, 1));
  useShortcut('k', () => moveFocus(list.current, -1));
  useShortcut(key, () => {
    if (act(indexOfFocused(rowsOf(list.current)))) leaveRow(list.current);
  });
}

/** The focus of a row that goes away is taken by the next one, or by the one before. Called while the row is there. */
export function leaveRow(list: HTMLElement | null): void {
  const rows = rowsOf(list);
  const focused = indexOfFocused(rows);
  if (focused >= 0) (rows[focused + 1] ?? rows[focused - 1])?.focus();
}

function moveFocus(list: HTMLElement | null, by: 1 | -1): void {
  const rows = rowsOf(list);
  const current = indexOfFocused(rows);
  const next = current < 0 ? (by > 0 ? 0 : rows.length - 1) : current + by;
  rows[next]?.focus();
}

const indexOfFocused = (rows: readonly HTMLElement[]) =>
  rows.findIndex((row) => row.contains(document.activeElement));

function rowsOf(list: HTMLElement | null): readonly HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('article') ?? [])];
}
