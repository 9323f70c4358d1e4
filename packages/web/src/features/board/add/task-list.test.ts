import { expect, test } from 'vitest';
import { readTaskList } from './task-list.ts';

test('boxes become tasks, ticked ones are done, indented ones are parts', () => {
  const text = ['Plan:', '- [ ] One', '  - [x] Part', '\t* [ ] Deeper', '- Two', '', '1. [X] Three'].join(
    '\r\n',
  );
  expect(readTaskList(text)).toEqual([
    { title: 'One', isDone: false, parent: undefined },
    { title: 'Part', isDone: true, parent: 0 },
    { title: 'Deeper', isDone: false, parent: 1 },
    { title: 'Two', isDone: false, parent: undefined },
    { title: 'Three', isDone: true, parent: undefined },
  ]);
});

test.each(['', 'one line', '- a plain list\n- of two', '- [ ]', 'a - [ ] b'])(
  '%j is no list of tasks',
  (text) => {
    expect(readTaskList(text)).toEqual([]);
  },
);

test('a title that is too long is cut', () => {
  expect([...(readTaskList(`- [ ] ${'x'.repeat(600)}`)[0]?.title ?? '')].length).toBe(500);
});
