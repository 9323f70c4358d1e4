import type { PutAwayItem } from '@aizuchi/shared/contract/inbox';
import { type PutAwayRow, putAwayRows } from '@aizuchi/shared/core/inbox/rules/put-away-rows';
import {
  type InfiniteData,
  infiniteQueryOptions,
  useInfiniteQuery,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { callApi } from '../../../lib/api/call-api.ts';
import { useErrorText } from '../../../lib/error-text.ts';
import { keys } from '../../../lib/queries/keys.ts';
import { toast } from '../../../lib/toast.ts';
import { restoreItems } from '../restore-items.ts';
import { leaveRow, useRowKeys } from '../row-focus.ts';
import { itemKey } from '../use-inbox.ts';

const PAGE = 50;
/** What comes back at its time leaves the list. */
const POLL_MS = 60_000;

interface Page {
  readonly items: readonly PutAwayItem[];
  readonly nextCursor: string | null;
}

const putAwayQuery = () =>
  infiniteQueryOptions({
    queryKey: keys.putAway,
    queryFn: ({ pageParam, signal }): Promise<Page> =>
      callApi('listPutAway', {
        query: { limit: PAGE, ...(pageParam !== undefined && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchInterval: POLL_MS,
  });

/** The rows that were put away, the keys, and the way back. */
export function usePutAway() {
  const list = useInfiniteQuery(putAwayQuery());
  const rows = putAwayRows(list.data?.pages.flatMap(({ items }) => items) ?? []);
  const ref = useRef<HTMLDivElement>(null);
  const restore = useRestore();
  useRowKeys(ref, 'u', (focused) => {
    const row = rows[focused];
    if (row) restore(row);
    return row !== undefined;
  });
  return {
    list,
    rows,
    ref,
    /** By its button, which goes away with it. */
    restore: (row: PutAwayRow<PutAwayItem>) => {
      leaveRow(ref.current);
      restore(row);
    },
  };
}

/** Brings a row back, at once on the page. */
function useRestore(): (row: PutAwayRow<PutAwayItem>) => void {
  const { t } = useTranslation();
  const client = useQueryClient();
  const errorText = useErrorText();
  const action = useMutation({
    mutationFn: ({ items }: PutAwayRow<PutAwayItem>) => restoreItems(items),
    onMutate: async ({ items }) => {
      await client.cancelQueries({ queryKey: keys.putAway });
      const gone = new Set(items.map(itemKey));
      client.setQueryData<InfiniteData<Page>>(
        keys.putAway,
        (data) =>
          data && {
            ...data,
            pages: data.pages.map((page) => ({
              ...page,
              items: page.items.filter((item) => !gone.has(itemKey(item))),
            })),
          },
      );
    },
    onSuccess: () => toast(t('putAway.restored')),
    onError: (error) => toast.error(errorText(error)),
    // Of the inbox, and with its key of this list.
    onSettled: () => client.invalidateQueries({ queryKey: keys.inbox }),
  });
  return action.mutate;
}
