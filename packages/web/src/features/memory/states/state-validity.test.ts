import { expect, test } from 'vitest';
import { dayField, endOfDay, validityOf } from './state-validity.ts';

const now = new Date('2026-11-27T12:00:00Z');

test('a state is over from its end on, and later before its beginning', () => {
  expect(validityOf({ validFrom: null, validTo: null }, now)).toBe('valid');
  expect(validityOf({ validFrom: null, validTo: '2026-11-27T12:00:00Z' }, now)).toBe('over');
  expect(validityOf({ validFrom: '2026-11-28T12:00:00Z', validTo: null }, now)).toBe('later');
});

test('a day goes into the field and back', () => {
  const end = endOfDay('2026-11-10');
  expect(dayField(end)).toBe('2026-11-10');
  expect(endOfDay('')).toBeNull();
  expect(endOfDay('2026-99-10')).toBeNull();
  expect(dayField(null)).toBe('');
});
