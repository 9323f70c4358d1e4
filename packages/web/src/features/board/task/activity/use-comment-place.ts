import { getRouteApi } from '@tanstack/react-router';
import { type RefObject, useEffect } from 'react';
import { callApi } from '../../../../lib/api/call-api.ts';
import { useHasAttention } from '../../../../lib/hooks/use-has-attention.ts';
import { Store, useStore } from '../../../../lib/store.ts';
import { useInbox } from '../../../inbox/use-inbox.ts';

const route = getRouteApi('/signed-in/projects/$projectId');

/** The comment that the address names, and those that wait in the inbox because they mention the person. */
export function useCommentPlaces(taskId: string) {
  const { comment: named } = route.useSearch();
  const { items = [] } = useInbox();
  const waiting = items.flatMap((item) => (item.taskId === taskId ? [item.refId] : []));
  return { named, waiting: new Set(waiting) };
}

/** The comment that was sent last, until it has come into view. */
const sent = new Store<string | undefined>(undefined);

export function showSent(commentId: string): void {
  sent.set(commentId);
}

interface CommentPlace {
  readonly taskId: string;
  readonly commentId: string;
  readonly isNamed: boolean;
  readonly isWaiting: boolean;
}

/** The named comment comes into view, and what was just sent, which is below the fields of the task. One that waits is read when it is in view, in a tab that has the focus. */
export function useCommentPlace(
  element: RefObject<HTMLElement | null>,
  { taskId, commentId, isNamed, isWaiting }: CommentPlace,
): void {
  const hasAttention = useHasAttention();
  useEffect(() => {
    if (!isNamed) return;
    element.current?.focus({ preventScroll: true });
    element.current?.scrollIntoView({ block: 'center' });
  }, [element, isNamed]);
  const isSent = useStore(sent) === commentId;
  useEffect(() => {
    if (!isSent) return;
    element.current?.scrollIntoView({ block: 'nearest' });
    sent.set(undefined);
  }, [element, isSent]);
  const isDue = isWaiting && hasAttention;
  useEffect(() => {
    const shown = element.current;
    if (!isDue || !shown) return;
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      // After a failure it waits on; the next look at the task reads it again.
      void callApi('markTaskCommentsRead', {
        params: { tid: taskId },
        body: { upToCommentId: commentId },
      }).catch(() => undefined);
    });
    observer.observe(shown);
    return () => observer.disconnect();
  }, [element, isDue, taskId, commentId]);
}
