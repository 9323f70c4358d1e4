import type { Question } from '@aizuchi/shared/contract/question';
import { useIsMutating, useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, isCode } from '../../lib/api/api-error.ts';
import { callApi } from '../../lib/api/call-api.ts';
import { backoffMs } from '../../lib/backoff.ts';
import { toLocale } from '../../lib/i18n.ts';
import { withCard } from '../../lib/live/card-pages.ts';
import { patchQuery } from '../../lib/live/patch-query.ts';
import type { QuestionPages } from '../../lib/live/question-pages.ts';
import { keys } from '../../lib/queries/keys.ts';
import { questionsQuery } from '../../lib/queries/queries.ts';
import { type ChatCards, useChatCards } from '../../lib/queries/use-chat-cards.ts';
import { type Draft, toAnswers } from './draft.ts';
import { forgetDraft } from './draft-store.ts';
import { cardFor } from './reader-card.ts';

/** The cards of one chat, oldest first, as far back as its messages are loaded. */
export function useChatQuestions(
  projectId: string,
  agentId: string,
  since: string | undefined,
): ChatCards<Question> {
  const { i18n } = useTranslation();
  const { cards, cut } = useChatCards(questionsQuery(projectId, agentId), since);
  const locale = toLocale(i18n.language);
  return { cards: useMemo(() => cards.map((card) => cardFor(locale, card)), [cards, locale]), cut };
}

/** While the server is unreachable the answer is retried: the person does not have to press again. */
const BACKOFF = { firstMs: 500, longestMs: 5_000 };

export const answerKey = (toolUseId: string) => ['answer', toolUseId] as const;

/**
 * Sends the answers. When another person already answered, the list is read again, and the card shows who did.
 * `onRefused` is called also after the component has gone.
 */
export function useAnswer(
  { toolUseId, projectId, agentId, questions }: Question,
  onRefused?: (error: Error) => void,
) {
  const client = useQueryClient();
  const mutationKey = answerKey(toolUseId);
  const queryKey = keys.questions(projectId, agentId);
  const isSending = useIsMutating({ mutationKey }) > 0;
  const answer = useMutation({
    mutationKey,
    mutationFn: (draft: Draft) =>
      callApi('answerQuestion', { params: { toolUseId }, body: { answers: toAnswers(draft, questions) } }),
    retry: (_failures, error) => error instanceof ApiError && error.isTransient,
    retryDelay: (attempt) => backoffMs(attempt, BACKOFF),
    onSuccess: (card) => {
      patchQuery<QuestionPages>(client, queryKey, (pages) => withCard(pages, card));
      forgetDraft(toolUseId);
    },
    onError: (error) => {
      onRefused?.(error);
      return (
        isCode(error, 'question_already_answered', 'question_not_found') &&
        client.invalidateQueries({ queryKey })
      );
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.inbox }),
  });
  return {
    send: answer.mutate,
    isSending,
    /** No response came yet, and the call is retried. */
    isRetrying: answer.failureCount > 0 && answer.isPending,
    error: isCode(answer.error, 'question_already_answered') ? null : answer.error,
  };
}
