import type { CreateElicitationResponse } from '@agentclientprotocol/sdk';
import { QUESTION_LIMITS, type QuestionItem } from '@aizuchi/shared/contract/question';
import type { QuestionOutcome } from '../../../driver.ts';
import type { AcpTexts } from '../texts/texts-shape.ts';
import type { Choice, Form, FormField } from './elicitation-form.ts';

type FormTexts = AcpTexts['form'];
type Content = Record<string, string | number | boolean | string[]>;
type Ask = (questions: readonly QuestionItem[]) => Promise<QuestionOutcome>;

/** What Claude's adapter says when it asks several questions. */
const EMPTY_MESSAGE = /^Please answer the following questions\.?$/;

interface Asked {
  readonly field: FormField;
  readonly question: QuestionItem;
}

/** Shows a form as cards, four questions at a time, and fills it in with what the person answers. */
export async function fillIn(form: Form, ask: Ask, texts: FormTexts): Promise<CreateElicitationResponse> {
  const asked = questionsOf(form, texts);
  const content: Content = {};
  for (let start = 0; start < asked.length; start += QUESTION_LIMITS.questions) {
    const card = asked.slice(start, start + QUESTION_LIMITS.questions);
    const { status, answers } = await ask(card.map(({ question }) => question));
    // Not answered is "declined" for the agent: the question is open. "Cancelled" ends what it wanted to do.
    if (status !== 'answered') return { action: status === 'cancelled' ? 'cancel' : 'decline' };
    for (const { field, question } of card) {
      const answer = answers[question.question]?.trim() ?? '';
      const values = valuesOf(answer, field, texts);
      if (!values) return { action: 'decline' };
      Object.assign(content, values);
    }
  }
  return { action: 'accept', content };
}

/** Their texts are different from each other, because the answers come by them. */
function questionsOf({ message, fields }: Form, texts: FormTexts): Asked[] {
  const said = new Set<string>();
  return fields.map((field, index) => {
    const { question, ...rest } = questionOf(field, texts);
    const intro = index === 0 && !EMPTY_MESSAGE.test(message) ? message : '';
    const asked =
      fields.length === 1 ? [intro || question, intro ? field.description : ''] : [intro, question];
    let whole = [...asked, moreOf(field, texts)]
      .filter(Boolean)
      .join('\n\n')
      .slice(0, QUESTION_LIMITS.question);
    if (said.has(whole))
      whole = `${whole.slice(0, QUESTION_LIMITS.question - field.key.length - 3)} (${field.key})`;
    said.add(whole);
    return { field, question: { question: whole, ...rest } };
  });
}

function questionOf({ key, kind, title, description, choices }: FormField, texts: FormTexts): QuestionItem {
  const header =
    title.slice(0, QUESTION_LIMITS.header).trim() || texts.header.slice(0, QUESTION_LIMITS.header);
  return {
    question: description || title || key,
    header,
    multiSelect: kind === 'choices',
    options: optionsOf(kind, choices, texts),
  };
}

function optionsOf(kind: FormField['kind'], choices: readonly Choice[], texts: FormTexts) {
  const plain = (label: string) => ({ label, description: '' });
  if (kind === 'boolean') return [plain(texts.yes), plain(texts.no)];
  if (choices.length === 0) return [plain(texts.leaveEmpty), plain(texts.decline)];
  const shown = distinct(choices)
    .slice(0, QUESTION_LIMITS.options)
    .map(({ label, description }) => ({
      label,
      description: description.slice(0, QUESTION_LIMITS.description),
    }));
  return shown.length < QUESTION_LIMITS.minOptions ? [...shown, plain(texts.decline)] : shown;
}

/** A card has room for four choices; the others can be written. */
function moreOf({ choices }: FormField, texts: FormTexts): string {
  const more = distinct(choices).slice(QUESTION_LIMITS.options);
  return more.length > 0 ? texts.moreChoices(more.map(({ label }) => label)) : '';
}

function distinct(choices: readonly Choice[]): Choice[] {
  const shortened = choices.map((choice) => ({
    ...choice,
    label: choice.label.slice(0, QUESTION_LIMITS.label),
  }));
  return [...new Map(shortened.map((choice) => [choice.label, choice])).values()];
}

/** The properties of one field; undefined: the person does not want to answer the form. */
function valuesOf(answer: string, field: FormField, texts: FormTexts): Content | undefined {
  const { key, kind, isRequired } = field;
  if (answer === texts.decline) return undefined;
  const isEmpty = answer === '' || (answer === texts.leaveEmpty && field.choices.length === 0);
  if (isEmpty) return isRequired ? undefined : {};
  switch (kind) {
    case 'boolean':
      return answer === texts.yes || answer === texts.no ? { [key]: answer === texts.yes } : undefined;
    case 'number':
      return Number.isFinite(Number(answer)) ? { [key]: Number(answer) } : undefined;
    case 'text':
      return { [key]: answer };
    case 'choice':
      return chosen(answer, field);
    case 'choices':
      return chosenSeveral(answer, field);
  }
}

function chosen(answer: string, { key, choices, ownAnswerKey }: FormField): Content {
  const choice = choiceOf(answer, choices);
  if (choice) return { [key]: choice.value };
  return { [ownAnswerKey ?? key]: answer };
}

/** Labels are joined with ", " and may hold it themselves: the longest that fits is taken. What is left is free text. */
function chosenSeveral(answer: string, { key, choices, ownAnswerKey }: FormField): Content {
  const values: string[] = [];
  let rest = answer;
  while (rest !== '') {
    const next = distinct(choices)
      .filter(({ label }) => rest === label || rest.startsWith(`${label}, `))
      .toSorted((one, other) => other.label.length - one.label.length)[0];
    if (!next) break;
    values.push(next.value);
    rest = rest.slice(next.label.length + 2);
  }
  if (rest === '') return { [key]: values };
  if (ownAnswerKey) return { ...(values.length > 0 && { [key]: values }), [ownAnswerKey]: rest };
  return { [key]: [...values, rest] };
}

function choiceOf(answer: string, choices: readonly Choice[]): Choice | undefined {
  return distinct(choices).find(({ label, value }) => label === answer || value === answer);
}
