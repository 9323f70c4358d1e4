import type { InboxItem } from '@aizuchi/shared/contract/inbox';
import { isCard } from '@aizuchi/shared/core/inbox/rules/inbox-entries';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { agentsQuery, projectsQuery } from '../../lib/queries/queries.ts';
import { storage } from '../../lib/storage.ts';
import { useStore } from '../../lib/store.ts';
import { useInbox } from '../inbox/use-inbox.ts';
import { followPermission, notificationState } from './permission.ts';
import { dueAt, type RemindersById, readReminders } from './reminders.ts';
import { answerOtherTabs, isShownInAnyTab } from './shown-in-tabs.ts';

// The name under which browsers already have it.
const KEY = 'told';

/**
 * Shows a browser notification for each pending question and approval that is not in view in any tab, and repeats it
 * while that is pending. It only leads to the card: nothing is allowed from a notification. The tabs share which were shown; the tab that holds the lock shows them.
 */
export function QuestionNotifier() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { items } = useInbox();
  const isOn = useStore(notificationState) === 'on';
  const { data: agents = [], isPending: areAgentsPending } = useQuery({ ...agentsQuery(), enabled: isOn });
  const { data: projects = [], isPending: areProjectsPending } = useQuery({
    ...projectsQuery(),
    enabled: isOn,
  });
  // A notification stays as it was shown: without the names it would say ids. Where they cannot be read it does.
  const hasNames = !areAgentsPending && !areProjectsPending;
  const [round, setRound] = useState(0);
  const open = useRef(new Map<string, Notification>());

  useEffect(followPermission, []);
  useEffect(answerOtherTabs, []);

  const show = useEffectEvent(({ kind, refId, projectId, agentId, title }: InboxItem) => {
    const agent = agents.find(({ id }) => id === agentId)?.name ?? agentId ?? '';
    const project = projects.find(({ id }) => id === projectId)?.name ?? projectId;
    const heading = kind === 'approval' ? 'notifications.approvalTitle' : 'notifications.title';
    const notice = notify(t(heading, { agent }), {
      body: `${title}\n${project}`,
      tag: refId,
      icon: '/favicon.svg',
      lang: document.documentElement.lang,
    });
    if (!notice) return;
    open.current.set(refId, notice);
    notice.onclick = () => {
      window.focus();
      notice.close();
      if (agentId === undefined) void navigate({ to: '/inbox' });
      else
        void navigate({
          to: '/projects/$projectId',
          params: { projectId },
          search: { agent: agentId, ...(kind === 'approval' ? { approval: refId } : { question: refId }) },
        });
    };
  });

  useEffect(() => {
    const cards = items?.filter(isCard);
    if (!isOn || !hasNames || !cards) return;
    for (const [id, notice] of open.current) {
      if (cards.some(({ refId }) => refId === id)) continue;
      notice.close();
      open.current.delete(id);
    }
    let timer: ReturnType<typeof setTimeout> | undefined;
    const over = new AbortController();
    const ready = async () => {
      const next = await notifyDue(cards, show, over.signal);
      if (over.signal.aborted || next === undefined) return;
      timer = setTimeout(() => setRound(round + 1), Math.max(1_000, next - Date.now()));
    };
    // Rejected when the effect ends before the lock is granted.
    void navigator.locks.request('aizuchi.notify', { signal: over.signal }, ready).catch(() => undefined);
    return () => {
      over.abort();
      clearTimeout(timer);
    };
  }, [items, isOn, hasNames, round]);
  return null;
}

/** Shows the notifications that are due. Resolves with the time of the next one, if any question is pending. */
async function notifyDue(
  cards: readonly InboxItem[],
  show: (item: InboxItem) => void,
  signal: AbortSignal,
): Promise<number | undefined> {
  const before = readReminders(storage.get(KEY));
  const reminders: Record<string, RemindersById[string]> = {};
  for (const item of cards) {
    const known = before[item.refId];
    if (known) reminders[item.refId] = known;
    const now = Date.now();
    if (dueAt(known) > now) continue;
    const isSeen = await isShownInAnyTab(item.refId);
    if (signal.aborted) return undefined;
    if (!isSeen) show(item);
    reminders[item.refId] = { at: now, times: (known?.times ?? 0) + 1 };
  }
  storage.set(KEY, JSON.stringify(reminders));
  const due = Object.values(reminders).map(dueAt);
  return due.length === 0 ? undefined : Math.min(...due);
}

/** Undefined on phones, where only service workers may show notifications. */
function notify(title: string, options: NotificationOptions): Notification | undefined {
  try {
    return new Notification(title, options);
  } catch {
    return undefined;
  }
}
