import { expect, test } from 'vitest';
import { checklistCount, itemAt, withTick } from './checklist.ts';

const text = ['Before', '- [ ] one', '- [x] two', '  1. [ ] one', '> - [X] quoted', '- [ ] one'].join('\n');

test('an item is ticked in its own line', () => {
  const item = itemAt(text, 2);
  expect(item && withTick(text, item, true)).toBe(text.replace('- [ ] one', '- [x] one'));
  const last = itemAt(text, 6);
  expect(last && withTick(text, last, true)?.split('\n')[5]).toBe('- [x] one');
  const quoted = itemAt(text, 5);
  expect(quoted && withTick(text, quoted, false)).toContain('> - [ ] quoted');
});

test('it is found again in a text that others have changed meanwhile', () => {
  const item = itemAt(text, 3);
  expect(item && withTick(`New line\n${text.replace('[x] two', '[ ] two')}`, item, true)).toContain(
    '- [x] two',
  );
  expect(item && withTick('- [x] three', item, true)).toBeUndefined();
});

test('what is no item is not ticked', () => {
  expect(itemAt(text, 1)).toBeUndefined();
  expect(itemAt(text, 99)).toBeUndefined();
  expect(itemAt('- [ ]', 1)).toBeUndefined();
});

test('items are counted', () => {
  expect(checklistCount(text)).toEqual({ total: 5, done: 2 });
  expect(checklistCount('no list')).toEqual({ total: 0, done: 0 });
});
