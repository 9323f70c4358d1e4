import type { Question } from '@aizuchi/shared/contract/question';
import { useInfiniteQuery, useIsMutating, useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { ApiError, isCode } from '../../lib/api/api-error.ts';
import { callApi } from '../../lib/api/call-api.ts';
import { backoffMs } from '../../lib/backoff.ts';
import { patchQuery } from '../../lib/live/apply-frame.ts';
import { type QuestionPages, withCard } from '../../lib/live/question-pages.ts';
import { keys } from '../../lib/queries/keys.ts';
import { questionsQuery } from '../../lib/queries/queries.ts';
import { type Draft, toAnswers } from './draft.ts';
import { forgetDraft } from './draft-store.ts';

/**
 * The cards of one chat, oldest first, as far back as its messages are loaded; earlier cards appear together with the
 * earlier messages. `since`: when the oldest loaded message was created; undefined when the whole chat is loaded.
 */
export function useChatQuestions(projectId: string, agentId: string, since: string | undefined) {
  const { data, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery(questionsQuery(projectId));
  const oldest = data?.pages.at(-1)?.questions.at(-1)?.createdAt;
  const isShort = hasNextPage && oldest !== undefined && (since === undefined || oldest > since);
  useEffect(() => {
    if (isShort && !isFetching) void fetchNextPage();
  }, [isShort, isFetching, fetchNextPage]);
  return useMemo(
    () =>
      (data?.pages ?? [])
        .flatMap(({ questions }) => questions)
        .filter((card) => card.agentId === agentId && (since === undefined || card.createdAt >= since))
        .reverse(),
    [data, agentId, since],
  );
}

/** While the server is unreachable the answer is retried: the person does not have to press again. */
const BACKOFF = { firstMs: 500, longestMs: 5_000 };

/** Sends the answers. When another person already answered, the list is read again, and the card shows who did. */
export function useAnswer({ toolUseId, projectId, questions }: Question) {
  const client = useQueryClient();
  const mutationKey = ['answer', toolUseId];
  const queryKey = keys.questions(projectId);
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
    onError: (error) =>
      isCode(error, 'question_already_answered', 'question_not_found') &&
      client.invalidateQueries({ queryKey }),
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
