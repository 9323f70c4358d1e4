import type { QuestionItem } from '@aizuchi/shared/contract/question';
import type { QuestionOutcome } from '../../../driver.ts';
import type { Language } from '../../../language.ts';
import type { AskRequest } from './ask-request.ts';
import { ASK_TEXTS } from './ask-texts.ts';

/** The maximum of options of a card; the person can write any further ones as free text. */
const MAX_OPTIONS = 4;

/** The question of a card for what the person wants to be asked. */
export function questionFor(request: AskRequest): QuestionItem {
  const { subject, options, multiSelect } = request;
  const texts = ASK_TEXTS[request.language];
  if (options.length < 2) {
    const [yes, no] = texts.yesNo;
    return {
      question: texts.yesOrNo(subject),
      header: texts.decision,
      options: [yes, no],
      multiSelect: false,
    };
  }
  const shown = options.slice(0, MAX_OPTIONS);
  const rest = options.slice(MAX_OPTIONS);
  return {
    question: texts.which(subject, multiSelect, rest),
    header: texts.choice,
    options: shown.map((label) => ({ label, description: '' })),
    multiSelect,
  };
}

/** What the agent writes when the card is resolved: it uses the answer, and never invents one. */
export function replyWith(outcome: QuestionOutcome, question: QuestionItem, language: Language): string {
  const texts = ASK_TEXTS[language];
  const answer = outcome.answers[question.question];
  if (outcome.status === 'answered' && answer !== undefined) return texts.answered(answer);
  return texts.unanswered[outcome.status === 'answered' ? 'cancelled' : outcome.status];
}
