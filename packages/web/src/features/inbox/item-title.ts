import type { InboxItem } from '@aizuchi/shared/contract/inbox';
import type { Run } from '@aizuchi/shared/contract/run';
import { questionOf } from '@aizuchi/shared/platform/texts/conversation-texts';
import { inboxTexts } from '@aizuchi/shared/platform/texts/inbox-texts';
import { attemptSummary } from '@aizuchi/shared/platform/texts/reason-texts';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { callApi } from '../../lib/api/call-api.ts';
import { toLocale } from '../../lib/i18n.ts';
import { keys } from '../../lib/queries/keys.ts';
import { unreadQuery } from '../../lib/queries/queries.ts';
import { failureText } from '../chat/message/Receipt.tsx';
import { ownReason } from './own-reason.ts';

/** The failed run of the row. It is over and is read only once. */
export function useFailedRun({ kind, projectId, refId }: InboxItem): Run | undefined {
  const { data } = useQuery({
    queryKey: [...keys.project(projectId), 'run', refId],
    queryFn: ({ signal }) => callApi('getRun', { params: { rid: refId }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: kind === 'failed_run',
  });
  return data;
}

/** Why the message of the row failed; undefined: it is no failed message. */
export function useFailureText(item: InboxItem): string | undefined {
  const { t, i18n } = useTranslation();
  return ownReason(item) ?? failureText(t, item, i18n.language);
}

/** Why the task of the row is blocked; undefined: no attempt said it. */
export function useBlockedText({ attempt }: InboxItem): string | undefined {
  const { i18n } = useTranslation();
  return attempt && attemptSummary(toLocale(i18n.language), attempt.summary, attempt.reason);
}

/** The title of an item. Titles that the server generates are translated into the reader's language. */
export function useItemTitle(item: InboxItem, agentName = item.agentId ?? '', run?: Run): string {
  const { t, i18n } = useTranslation();
  const { kind, projectId, agentId = '', title } = item;
  const { data: unread } = useQuery({ ...unreadQuery(projectId), enabled: kind === 'unread' });
  const texts = inboxTexts(toLocale(i18n.language));
  const count = unread?.[agentId] ?? 0;
  const asked = item.reason && questionOf(toLocale(i18n.language), item.reason);
  if (asked) return asked.question;
  if (kind === 'review') return t('inbox.review', { task: title });
  if (kind === 'proposal') return t('inbox.proposal', { task: title });
  if (kind === 'mention') return t('inbox.mention', { text: title });
  if (kind === 'unread' && count > 0) return texts.unread(agentName, count);
  return run?.exitCause === undefined ? title : texts.failedRun(agentName, run.exitCause);
}
