import { answersInputSchema, type QuestionItem } from '@aizuchi/shared/contract/question';
import { describe, expect, test } from 'vitest';
import { chosenTexts } from './answer-text.ts';
import {
  choose,
  type Draft,
  draftOfReply,
  EMPTY_DRAFT,
  isAnswered,
  isComplete,
  toAnswers,
  writeOther,
} from './draft.ts';
import { readDraft } from './draft-store.ts';

const options = ['React Query', 'SWR', 'Redux'].map((label) => ({ label, description: '' }));
const one: QuestionItem = { question: 'Which one?', header: 'Library', options, multiSelect: false };
const many: QuestionItem = { ...one, question: 'Which of them?', multiSelect: true };

const press = (item: QuestionItem, ...numbers: number[]): Draft =>
  numbers.reduce((draft, n) => choose(draft, 0, item, n), EMPTY_DRAFT);

describe('one choice', () => {
  test('options are numbered from 1, answers from 0', () => {
    expect(toAnswers(press(one, 2), [one])).toEqual({ 0: '1' });
  });

  test('a choice replaces the previous one', () => {
    expect(toAnswers(press(one, 1, 3), [one])).toEqual({ 0: '2' });
  });

  test('"Other…" has the number after the options, and needs a text', () => {
    const other = press(one, 1, 4);
    expect(isAnswered(other, 0)).toBe(false);
    expect(isAnswered(writeOther(other, 0, one, '   '), 0)).toBe(false);
    expect(toAnswers(writeOther(other, 0, one, ' Zustand '), [one])).toEqual({ 0: 'other:Zustand' });
  });

  test('a text from the composer is the option of that name, else "Other…"', () => {
    expect(toAnswers(draftOfReply([one], ' swr'), [one])).toEqual({ 0: '1' });
    expect(toAnswers(draftOfReply([one], 'coffee please'), [one])).toEqual({ 0: 'other:coffee please' });
    expect(toAnswers(draftOfReply([many], 'coffee'), [many])).toEqual({ 0: 'other:coffee' });
  });

  test('writing chooses "Other…"; its text is kept while an option is chosen', () => {
    const back = choose(choose(writeOther(press(one, 1), 0, one, 'Zustand'), 0, one, 2), 0, one, 4);
    expect(toAnswers(back, [one])).toEqual({ 0: 'other:Zustand' });
  });
});

describe('several choices', () => {
  test('each is toggled separately; the answer has the order of the card', () => {
    expect(toAnswers(press(many, 3, 1), [many])).toEqual({ 0: '0,2' });
    expect(toAnswers(press(many, 3, 1, 3), [many])).toEqual({ 0: '0' });
  });

  test('options and free text can be combined', () => {
    const both = writeOther(press(many, 1), 0, many, 'Zustand');
    expect(toAnswers(both, [many])).toEqual({ 0: { selected: ['0'], other: 'Zustand' } });
    expect(answersInputSchema.safeParse(toAnswers(both, [many])).success).toBe(true);
    expect(chosenTexts(many, { selected: ['0'], other: 'Zustand' })).toEqual(['React Query', 'Zustand']);
  });

  test('without a choice there is no answer', () => {
    expect(isAnswered(press(many, 2, 2), 0)).toBe(false);
  });
});

test('a card is complete when each of its questions is', () => {
  const first = press(one, 1);
  expect(isComplete(first, [one, many])).toBe(false);
  expect(isComplete(choose(first, 1, many, 2), [one, many])).toBe(true);
  expect(toAnswers(choose(first, 1, many, 2), [one, many])).toEqual({ 0: '0', 1: '1' });
});

test('an answer is shown as the chosen labels', () => {
  expect(chosenTexts(one, '1')).toEqual(['SWR']);
  expect(chosenTexts(many, '0,2')).toEqual(['React Query', 'Redux']);
  expect(chosenTexts(one, 'other:1,2')).toEqual(['1,2']);
});

test.each([undefined, '', '{', '{"step":"1","choices":[]}', '{"step":0,"choices":[{"selected":["0"]}]}'])(
  'stored text of another shape (%s) gives the empty draft',
  (text) => {
    expect(readDraft(text)).toBe(EMPTY_DRAFT);
  },
);

test('a draft survives a reload', () => {
  const draft = writeOther(press(many, 1), 0, many, 'x');
  expect(readDraft(JSON.stringify(draft))).toEqual(draft);
});
