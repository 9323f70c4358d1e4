import type { Sortable } from '../columns.ts';

/** Where a card is put: directly below this card of its column; null: on top. */
export type Place = string | null;

/** The place at the upper or lower edge of a card; undefined: the moved card is there already. */
export function placeBeside(
  column: readonly Sortable[],
  movedId: string,
  beside: { readonly id: string; readonly edge: 'top' | 'bottom' },
): Place | undefined {
  const others = column.filter(({ id }) => id !== movedId);
  const index = others.findIndex(({ id }) => id === beside.id);
  if (index < 0) return undefined;
  const at = beside.edge === 'top' ? index : index + 1;
  return at === column.findIndex(({ id }) => id === movedId) ? undefined : (others[at - 1]?.id ?? null);
}

/** The place below all other cards; undefined: the moved card is there already. */
export function placeAtEnd(column: readonly Sortable[], movedId: string): Place | undefined {
  const last = column.at(-1);
  return last === undefined || last.id === movedId ? undefined : last.id;
}

/** The place one card further up or down; undefined: there is none. */
export function placeOneFurther(
  column: readonly Sortable[],
  movedId: string,
  direction: 'up' | 'down',
): Place | undefined {
  const index = column.findIndex(({ id }) => id === movedId);
  if (direction === 'down') return column[index + 1]?.id;
  return index <= 0 ? undefined : (column[index - 2]?.id ?? null);
}

/** The position that the card has there until the server says its own. */
export function positionAt(column: readonly Sortable[], movedId: string, place: Place): number {
  const others = column.filter(({ id }) => id !== movedId);
  const above = place === null ? -1 : others.findIndex(({ id }) => id === place);
  const [before, after] = [others[above]?.position, others[above + 1]?.position];
  if (before === undefined) return after === undefined ? 0 : after - 1;
  return after === undefined ? before + 1 : (before + after) / 2;
}
