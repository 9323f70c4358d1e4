import { expect, test } from 'vitest';
import { mentionAt, mentionable, mentionName, withMention } from './open-mention.ts';

test.each([
  ['@', 1, { start: 0, words: '' }],
  ['Ask @wor', 8, { start: 4, words: 'wor' }],
  ['Ask @wor more', 8, { start: 4, words: 'wor' }],
  ['（@高', 3, { start: 1, words: '高' }],
  ['確認お願いします@高', 10, { start: 8, words: '高' }],
  ['a@b', 3, undefined],
  ['https://example.com/@a', 22, undefined],
  ['@wor ', 5, undefined],
  ['plain', 5, undefined],
])('in %j at %i', (text, caret, mention) => {
  expect(mentionAt(text, caret)).toEqual(mention);
});

test('names that begin with the words come first; ids are found too', () => {
  const people = [
    { id: 'agt_b', name: 'Backend Worker' },
    { id: 'owner', name: 'Takahashi' },
    { id: 'agt_w', name: 'Worker A' },
  ];
  expect(mentionable(people, 'WOR').map(({ id }) => id)).toEqual(['agt_w', 'agt_b']);
  expect(mentionable(people, 'owner').map(({ id }) => id)).toEqual(['owner']);
  expect(mentionable(people, '').length).toBe(3);
});

test('the name takes the place of what was written', () => {
  expect(withMention('Ask @wor now', { start: 4, words: 'wor' }, 'Worker A')).toEqual({
    text: 'Ask @Worker A now',
    caret: 14,
  });
});

test('who shares a name is called by id', () => {
  const people = [
    { id: 'one', name: 'Kim' },
    { id: 'two', name: 'kim' },
    { id: 'three', name: 'Ann' },
  ];
  expect(people.map((one) => mentionName(one, people))).toEqual(['one', 'two', 'Ann']);
});
