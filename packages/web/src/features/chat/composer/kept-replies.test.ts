import { expect, test } from 'vitest';
import { EMPTY_DRAFT } from '../../questions/draft.ts';
import { readReplies } from './kept-replies.ts';

const kept = {
  replies: [{ text: 'coffee', question: 1, before: EMPTY_DRAFT }],
  after: { step: 2, choices: [] },
};

test('what was written is read again as it was', () => {
  expect(readReplies(JSON.stringify(kept))).toEqual(kept);
});

test.each([undefined, '', '{', '[]', '{"replies":[]}', '{"replies":[{"text":1,"question":0}]}'])(
  'stored text of another shape (%s) holds none',
  (text) => {
    expect(readReplies(text)).toBeUndefined();
  },
);
