import { answersInputSchema, type QuestionItem } from '@aizuchi/shared/contract/question';
import { describe, expect, test } from 'vitest';
import { chosenTexts } from './answer-text.ts';
import {
  choose,
  type Draft,
  EMPTY_DRAFT,
  isAnswered,
  isComplete,
  questionOfReply,
  toAnswers,
  withoutReply,
  withReply,
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
    expect(toAnswers(withReply(EMPTY_DRAFT, [one], ' swr'), [one])).toEqual({ 0: '1' });
    expect(toAnswers(withReply(press(one, 1), [one], 'coffee please'), [one])).toEqual({
      0: 'other:coffee please',
    });
    expect(toAnswers(withReply(press(many, 2), [many], 'coffee'), [many])).toEqual({ 0: 'other:coffee' });
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

describe('a text from the composer, with several questions', () => {
  const items = [one, many, { ...one, question: 'And which one then?' }];

  test('answers the question that is shown, and the next one without an answer is shown', () => {
    const first = withReply(EMPTY_DRAFT, items, 'coffee please');
    expect(first.step).toBe(1);
    const second = withReply(first, items, 'swr');
    expect(isComplete(second, items)).toBe(false);
    const third = withReply(second, items, 'tea');
    expect(toAnswers(third, items)).toEqual({ 0: 'other:coffee please', 1: '1', 2: 'other:tea' });
    expect(isComplete(third, items)).toBe(true);
  });

  test('leaves what was chosen: a question with an answer is passed over, from the last on to the first', () => {
    const chosen = { ...choose(EMPTY_DRAFT, 2, one, 3), step: 2 };
    expect(questionOfReply(chosen, items)).toBe(0);
    const next = withReply(chosen, items, 'coffee');
    expect(next.step).toBe(1);
    expect(toAnswers(next, items)).toEqual({ 0: 'other:coffee', 1: '', 2: '2' });
  });

  test('replaces the answer that is shown when all have one', () => {
    const all = items.reduce((draft, item, index) => choose(draft, index, item, 1), EMPTY_DRAFT);
    const next = withReply({ ...all, step: 1 }, items, 'coffee');
    expect(toAnswers(next, items)).toEqual({ 0: '0', 1: 'other:coffee', 2: '0' });
  });

  test('taken back, its question is shown as it was before, and a later choice in another one stays', () => {
    const before = { ...choose(EMPTY_DRAFT, 1, many, 2), step: 0 };
    const later = choose(withReply(before, items, 'coffee'), 2, one, 1);
    const back = withoutReply(later, 0, before);
    expect(back.step).toBe(0);
    expect(isAnswered(back, 0)).toBe(false);
    expect(toAnswers(back, items)).toEqual({ 0: '', 1: '1', 2: '0' });
  });
});
