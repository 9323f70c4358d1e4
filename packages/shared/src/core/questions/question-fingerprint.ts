import { createHash } from 'node:crypto';
import type { QuestionItem } from '../../contract/question.ts';

/** Equal for the same questions with the same options, whatever their id is. */
export function fingerprintOf(questions: readonly QuestionItem[]): string {
  const parts = questions.map(({ question, header, options, multiSelect }) => [
    question,
    header,
    multiSelect,
    options.map(({ label, description }) => [label, description]),
  ]);
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
