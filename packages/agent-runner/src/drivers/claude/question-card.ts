import { QUESTION_LIMITS, type QuestionItem } from '@aizuchi/shared/contract/question';
import { z } from 'zod';
import type { QuestionOutcome } from '../../driver.ts';

const askedSchema = z.object({
  questions: z
    .array(
      z.object({
        question: z.string(),
        header: z.string().catch(''),
        multiSelect: z.boolean().catch(false),
        options: z.array(z.object({ label: z.string(), description: z.string().catch('') })),
      }),
    )
    .min(1),
});
type Asked = z.infer<typeof askedSchema>['questions'];

/** The questions of the tool AskUserQuestion, within the limits of a card; undefined: the input is not of that form. */
export function cardOf(input: unknown): { asked: Asked; card: QuestionItem[] } | undefined {
  const { data } = askedSchema.safeParse(input);
  if (!data) return undefined;
  const card = data.questions.map(({ question, header, multiSelect, options }) => ({
    question: question.slice(0, QUESTION_LIMITS.question),
    header: header.trim().slice(0, QUESTION_LIMITS.header) || '?',
    multiSelect,
    options: options.map(({ label, description }) => ({
      label: label.slice(0, QUESTION_LIMITS.label),
      description: description.slice(0, QUESTION_LIMITS.description),
    })),
  }));
  return { asked: data.questions, card };
}

/** The answers as the tool wants them: by the text of the question as the model wrote it. */
export function answersFor(
  { asked, card }: { asked: Asked; card: readonly QuestionItem[] },
  { answers }: QuestionOutcome,
): Record<string, string> {
  return Object.fromEntries(
    asked.flatMap(({ question }, index) => {
      const answer = answers[card[index]?.question ?? ''];
      return answer === undefined ? [] : [[question, answer]];
    }),
  );
}

/** What the model is told when nobody answered. An empty answer would read as one. */
export function unanswered(status: Exclude<QuestionOutcome['status'], 'answered'>, reason?: string): string {
  switch (status) {
    case 'timeout':
      return 'Nobody answered in time. No answer is not consent: decide yourself what is safe, and say in your answer that the question is open.';
    case 'cancelled':
      return 'The question was cancelled without an answer. No answer is not consent: decide yourself what is safe, and say in your answer that the question is open.';
    case 'unavailable':
      return 'Nobody can be asked here: no person is in front of this session. Decide yourself what is safe, and say in your answer what you decided and what is open.';
    case 'refused':
      return `No card was shown: ${reason ?? 'the questions were refused'}. No person has seen the questions. Ask again in a form that is accepted, or decide yourself what is safe, and say so in your answer.`;
  }
}
