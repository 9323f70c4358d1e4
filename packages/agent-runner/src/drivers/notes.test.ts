import { expect, test } from 'vitest';
import { Notes } from './notes.ts';

test('a note is told once, and again when it was not heard; what is for the chat is told there only', () => {
  const notes = new Notes();
  notes.add('It is over.');
  notes.add('Tell the person.', true);
  const talk = notes.take({ kind: 'conversation' });
  expect(talk.texts).toEqual(['It is over.']);
  talk.giveBack();
  expect(notes.take({ kind: 'chat' }).texts).toEqual(['It is over.', 'Tell the person.']);
  expect(notes.take({ kind: 'chat' }).texts).toEqual([]);
});
