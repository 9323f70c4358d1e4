import { expect, test } from 'vitest';
import { legsOf, millisecondsOf, usedId } from './used.ts';

const item = (why: string) => ({
  type: 'event' as const,
  event_id: 'evt_1',
  state_id: null,
  affect_id: null,
  why,
  snippet: 's',
});

test('the legs stand in a selection by rank; the words of a model are no legs', () => {
  expect(legsOf({ selectedSource: 'rank' }, item('words, ngram'))).toEqual(['words', 'ngram']);
  expect(legsOf({ selectedSource: 'rank' }, item(''))).toEqual([]);
  expect(legsOf({ selectedSource: 'model' }, item('It names the words, exactly.'))).toEqual([]);
});

test('what runs at once is counted once', () => {
  expect(millisecondsOf({ timings: { plan: 10, ngram: 5.4, recent_states: 3, selection: 2 } })).toBe(17);
  expect(millisecondsOf({ timings: {} })).toBe(0);
});

test('a state is named by its own id', () => {
  expect(usedId(item(''))).toBe('evt_1');
  expect(usedId({ ...item(''), type: 'state', state_id: 'sta_1' })).toBe('sta_1');
});
