import type { CreateElicitationRequest } from '@agentclientprotocol/sdk';
import type { QuestionItem } from '@aizuchi/shared/contract/question';
import { askedQuestionsSchema } from '@aizuchi/shared/contract/question';
import { expect, test } from 'vitest';
import type { QuestionOutcome } from '../../../driver.ts';
import { en } from '../texts/texts.en.ts';
import { fillIn } from './elicitation.ts';
import { formOf } from './elicitation-form.ts';

type Properties = NonNullable<
  Extract<CreateElicitationRequest, { mode: 'form' }>['requestedSchema']['properties']
>;

const TEXTS = en.form;

/** What the agent gets when a person answers each question of each card in turn. */
async function filled(properties: Properties, answers: readonly string[], required: string[] = []) {
  const form = formOf({
    mode: 'form',
    sessionId: 's1',
    message: 'Tell me more.',
    requestedSchema: { type: 'object', properties, required },
  });
  if (!form) throw new Error('no form');
  const cards: (readonly QuestionItem[])[] = [];
  let next = 0;
  const ask = async (questions: readonly QuestionItem[]): Promise<QuestionOutcome> => {
    cards.push(questions);
    const said = questions.map(({ question }) => [question, answers[next++] ?? '']);
    return { status: 'answered', answers: Object.fromEntries(said) };
  };
  const response = await fillIn(form, ask, TEXTS);
  // What is shown must be what the server accepts as a card.
  for (const card of cards) expect(askedQuestionsSchema.safeParse(card).error).toBeUndefined();
  return { cards, response };
}

const values = (...names: string[]) => ({ type: 'string' as const, enum: names });

test('texts, numbers and yes or no are answered in the field for an own answer', async () => {
  const { cards, response } = await filled(
    {
      name: { type: 'string', title: 'Your name' },
      age: { type: 'integer', title: 'Age' },
      agreed: { type: 'boolean', title: 'Agreed?' },
    },
    ['Ann', '41', 'Yes'],
  );
  expect(cards[0]?.map(({ question }) => question)).toEqual(['Tell me more.\n\nYour name', 'Age', 'Agreed?']);
  expect(response).toEqual({ action: 'accept', content: { name: 'Ann', age: 41, agreed: true } });
});

test('a number that is none, a field that must not be empty, and "do not answer" decline the form', async () => {
  const age = { age: { type: 'number' as const } };
  expect((await filled(age, ['many'])).response).toEqual({ action: 'decline' });
  expect((await filled(age, [TEXTS.leaveEmpty], ['age'])).response).toEqual({ action: 'decline' });
  expect((await filled(age, [TEXTS.leaveEmpty])).response).toEqual({ action: 'accept', content: {} });
  expect((await filled(age, [TEXTS.decline])).response).toEqual({ action: 'decline' });
});

test('more than four choices: the others are named, and can be written', async () => {
  const { cards, response } = await filled({ size: values('1', '2', '3', '4', '5', '6') }, ['6']);
  expect(cards[0]?.[0]?.options.map(({ label }) => label)).toEqual(['1', '2', '3', '4']);
  expect(cards[0]?.[0]?.question).toContain('5 · 6');
  expect(response).toEqual({ action: 'accept', content: { size: '6' } });
});

test('one choice is a card with a way out; a title stands for its value', async () => {
  const oneOf = [{ const: 'value', title: 'The only one' }];
  const { cards, response } = await filled({ only: { type: 'string', oneOf } }, ['The only one']);
  expect(cards[0]?.[0]?.options.map(({ label }) => label)).toEqual(['The only one', TEXTS.decline]);
  expect(response).toEqual({ action: 'accept', content: { only: 'value' } });
});

test('more than four questions are several cards; equal texts are told apart', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const same = { ...values('x', 'y'), description: 'Which?' };
  const { cards, response } = await filled(Object.fromEntries(names.map((name) => [name, same])), [
    'x',
    'y',
    'x',
    'y',
    'x',
  ]);
  expect(cards.map((card) => card.length)).toEqual([4, 1]);
  expect(response).toEqual({ action: 'accept', content: { a: 'x', b: 'y', c: 'x', d: 'y', e: 'x' } });
});

test('several choices with an answer of the person’s own that is no choice', async () => {
  const parts = { type: 'array' as const, items: { type: 'string' as const, enum: ['door', 'roof'] } };
  expect((await filled({ parts }, ['roof, a gate'])).response).toEqual({
    action: 'accept',
    content: { parts: ['roof', 'a gate'] },
  });
  const own = { parts, parts_custom: { type: 'string' as const } };
  expect((await filled(own, ['door, a gate, or two'])).response).toEqual({
    action: 'accept',
    content: { parts: ['door'], parts_custom: 'a gate, or two' },
  });
});

test('an address to open, and a form without fields, are no forms', () => {
  const url = {
    mode: 'url',
    sessionId: 's1',
    message: '',
    elicitationId: 'e1',
    url: 'https://example.com',
  } as const;
  expect(formOf(url)).toBeUndefined();
  const empty = {
    mode: 'form',
    sessionId: 's1',
    message: 'Go on?',
    requestedSchema: { type: 'object' },
  } as const;
  expect(formOf(empty)).toBeUndefined();
});
