import { searchMemoryBodySchema } from '@aizuchi/shared/contract/memory';
import type { MemoryRetrieval } from '@aizuchi/shared/core/memory/retrieval/memory-retrieval';
import { KINDS, type Kind, type Question } from './conversation.ts';

const LIMIT = 10;

export interface KindResult {
  readonly kind: Kind;
  readonly questions: number;
  /** The mean share of the evidence that is among the first ten; null: there is nothing to find. */
  readonly recallAt10: number | null;
  /** Of contradictions: how often what is right now is before what was. */
  readonly newerFirst: number | null;
  /** The mean score of the first hit. */
  readonly topScore: number;
}

/** Asks the questions, without neighbours: a hit counts only by itself. Returns also what was not found. */
export async function evaluate(
  memory: MemoryRetrieval,
  agentId: string,
  questions: readonly Question[],
): Promise<{ kinds: KindResult[]; all: number; missed: string[] }> {
  const missed: string[] = [];
  const answers: { question: Question; recall: number; isNewerFirst: boolean; topScore: number }[] = [];
  for (const question of questions) {
    const body = searchMemoryBodySchema.parse({ query: question.text, limit: LIMIT, expand: false });
    const { items } = await memory.search({ agentId, projectId: undefined }, body);
    const refs = items.flatMap(({ sourceRefs }) => sourceRefs);
    const found = question.evidence.filter((ref) => refs.includes(ref));
    const place = (ref: string) =>
      (refs.indexOf(ref) + LIMIT + 1) % (LIMIT + 1) || (refs[0] === ref ? 0 : LIMIT);
    const isNewerFirst = question.outdated.every((old) =>
      question.evidence.some((ref) => place(ref) < place(old)),
    );
    if (found.length < question.evidence.length)
      missed.push(
        `${question.kind} ${question.text} (${question.evidence.filter((ref) => !refs.includes(ref)).join()})`,
      );
    const recall = question.evidence.length === 0 ? 0 : found.length / question.evidence.length;
    answers.push({ question, recall, isNewerFirst, topScore: items[0]?.score ?? 0 });
  }
  const kinds = KINDS.map((kind): KindResult => {
    const of = answers.filter(({ question }) => question.kind === kind);
    return {
      kind,
      questions: of.length,
      recallAt10: kind === 'unanswerable' ? null : mean(of.map(({ recall }) => recall)),
      newerFirst: kind === 'contradiction' ? mean(of.map((one) => Number(one.isNewerFirst))) : null,
      topScore: mean(of.map(({ topScore }) => topScore)),
    };
  });
  const answerable = answers.filter(
    ({ question }) => question.evidence.length > 0 && question.kind !== 'far',
  );
  return { kinds, all: mean(answerable.map(({ recall }) => recall)), missed };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
