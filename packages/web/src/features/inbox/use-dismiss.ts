import type { InboxItem } from '@aizuchi/shared/contract/inbox';
import {
  dismissible,
  type InboxEntry,
  inCalls,
  itemsOf,
} from '@aizuchi/shared/core/inbox/rules/inbox-entries';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { callApi } from '../../lib/api/call-api.ts';
import { useErrorText } from '../../lib/error-text.ts';
import { keys } from '../../lib/queries/keys.ts';
import { toast } from '../../lib/toast.ts';
import { markRead } from './mark-read.ts';
import { restoreItems } from './restore-items.ts';
import { itemKey } from './use-inbox.ts';

interface Dismissal {
  readonly entry: InboxEntry;
  /** It comes back then. */
  readonly until?: Date;
}

/** Puts a row away, at once on the page, with a way back; its unread messages are read. */
export function useDismiss() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const errorText = useErrorText();
  const reload = () => client.invalidateQueries({ queryKey: keys.inbox });
  const restore = useMutation({
    mutationFn: (entry: InboxEntry) => restoreItems(itemsOf(entry)),
    onError: (error) => toast.error(errorText(error)),
    onSettled: reload,
  });
  const action = useMutation({
    mutationFn: async ({ entry, until }: Dismissal) => {
      const all = itemsOf(entry);
      const items = dismissible(all);
      for (const some of inCalls(items))
        await callApi('dismissInbox', {
          body: { items: some, ...(until && { until: until.toISOString() }) },
        });
      if (until === undefined)
        for (const item of all.filter(({ kind }) => kind === 'unread')) await markRead(item);
    },
    onMutate: async ({ entry }) => {
      await client.cancelQueries({ queryKey: keys.inbox });
      const gone = new Set(itemsOf(entry).map(itemKey));
      client.setQueryData<readonly InboxItem[]>(keys.inbox, (items) =>
        items?.filter((item) => !gone.has(itemKey(item))),
      );
    },
    onSuccess: (_done, { entry, until }) => {
      if (dismissible(itemsOf(entry)).length === 0) return;
      toast(t(until ? 'inbox.snoozed' : 'inbox.dismissed'), {
        action: { label: t('inbox.undo'), onClick: () => restore.mutate(entry) },
      });
    },
    onError: (error) => toast.error(errorText(error)),
    onSettled: (_done, _error, { entry }) =>
      Promise.all([reload(), client.invalidateQueries({ queryKey: keys.unread(entry.item.projectId) })]),
  });
  return {
    dismiss: (entry: InboxEntry) => action.mutate({ entry }),
    snooze: (entry: InboxEntry, until: Date) => action.mutate({ entry, until }),
  };
}
