import { describe, expect, test } from 'vitest';
import { placeAtEnd, placeBeside, placeOneFurther, positionAt } from './place.ts';

const column = ['a', 'b', 'c'].map((id, index) => ({
  id,
  status: 'todo' as const,
  position: index * 10,
  updatedAt: '2026-11-21T12:00:00.000Z',
}));

describe('where a card is put', () => {
  test.each([
    ['c', 'a', 'top', null],
    ['c', 'a', 'bottom', 'a'],
    ['c', 'b', 'top', 'a'],
    ['a', 'b', 'bottom', 'b'],
    ['a', 'c', 'bottom', 'c'],
    // From another column.
    ['x', 'a', 'top', null],
    ['x', 'c', 'bottom', 'c'],
    // It is there already.
    ['a', 'b', 'top', undefined],
    ['b', 'a', 'bottom', undefined],
    ['b', 'b', 'top', undefined],
  ] as const)('%s dropped at %s, %s edge: below %s', (moved, id, edge, place) => {
    expect(placeBeside(column, moved, { id, edge })).toBe(place);
  });

  test('below all others', () => {
    expect(placeAtEnd(column, 'a')).toBe('c');
    expect(placeAtEnd(column, 'c')).toBeUndefined();
    expect(placeAtEnd([], 'a')).toBeUndefined();
  });

  test.each([
    ['a', 'up', undefined],
    ['b', 'up', null],
    ['c', 'up', 'a'],
    ['a', 'down', 'b'],
    ['c', 'down', undefined],
  ] as const)('%s moved %s: below %s', (moved, direction, place) => {
    expect(placeOneFurther(column, moved, direction)).toBe(place);
  });
});

test('until the server answers, the card stands between its neighbours', () => {
  expect(positionAt(column, 'c', null)).toBeLessThan(0);
  expect(positionAt(column, 'c', 'a')).toBe(5);
  expect(positionAt(column, 'a', 'c')).toBeGreaterThan(20);
  expect(positionAt([], 'a', null)).toBe(0);
});
