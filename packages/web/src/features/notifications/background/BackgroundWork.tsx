import { useQuery } from '@tanstack/react-query';
import { useLocation, useParams, useRouter, useSearch } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { callApi } from '../../../lib/api/call-api.ts';
import { useHasAttention } from '../../../lib/hooks/use-has-attention.ts';
import { newId } from '../../../lib/new-id.ts';
import { meQuery } from '../../../lib/queries/queries.ts';
import { session } from '../../../lib/session.ts';
import { toast } from '../../../lib/toast.ts';
import { useInbox } from '../../inbox/use-inbox.ts';
import { useInboxCount } from '../../inbox/use-inbox-count.ts';
import { notificationsQuery } from '../notifications-query.ts';
import { QuestionNotifier } from '../QuestionNotifier.tsx';
import { renewPush } from './push.ts';
import { forgetPerson, keepCsrf, registration } from './worker.ts';

/** Half of the time for which the server takes it that the person looks here. */
const RENEW_ATTENTION_MS = 20_000;
/** Who has touched nothing for so long has left, even where the page still has the focus. */
const LEFT_AFTER_MS = 2 * 60_000;
const INPUTS = ['pointermove', 'pointerdown', 'keydown', 'wheel', 'touchmove'] as const;
const viewerId = newId();

export function BackgroundWork() {
  useWorker();
  useBadge();
  useAttention();
  useShownNotifications();
  return <QuestionNotifier />;
}

/** Registers the service worker, and offers to load the page again when another build has replaced it. */
function useWorker(): void {
  const router = useRouter();
  const { t } = useTranslation();
  const { data: me } = useQuery(meQuery());
  const { data: told } = useQuery(notificationsQuery());
  const sayNew = useEffectEvent(() => {
    toast(t('notifications.newVersion'), {
      duration: Number.POSITIVE_INFINITY,
      action: { label: t('notifications.reload'), onClick: () => location.reload() },
    });
  });
  useEffect(() => {
    const { serviceWorker } = navigator;
    if (!serviceWorker) return;
    const hadWorker = serviceWorker.controller !== null;
    const onChange = () => hadWorker && sayNew();
    const onMessage = ({ data }: MessageEvent<{ open?: unknown }>) => {
      if (typeof data?.open === 'string' && data.open.startsWith('/')) router.history.push(data.open);
    };
    serviceWorker.addEventListener('controllerchange', onChange);
    serviceWorker.addEventListener('message', onMessage);
    void registration();
    return () => {
      serviceWorker.removeEventListener('controllerchange', onChange);
      serviceWorker.removeEventListener('message', onMessage);
      if (session.get().csrf === undefined) void forgetPerson();
    };
  }, [router]);
  const meId = me?.id;
  useEffect(() => {
    if (meId === undefined || !told) return;
    void renewPush(meId, told);
    if (told.channels.some(({ kind }) => kind === 'web_push')) void keepCsrf(session.get().csrf);
  }, [meId, told]);
}

/** The number on the icon of the installed app. */
function useBadge(): void {
  const count = useInboxCount();
  useEffect(() => {
    if (!('setAppBadge' in navigator)) return;
    // Refused where the page is not installed.
    void (count > 0 ? navigator.setAppBadge(count) : navigator.clearAppBadge()).catch(() => undefined);
  }, [count]);
}

/** Tells the server where the person looks, if there is a channel to which something would be sent. */
function useAttention(): void {
  const { data: told } = useQuery(notificationsQuery());
  const { projectId } = useParams({ strict: false });
  const { agent: agentId } = useSearch({ strict: false });
  const isInbox = useLocation({ select: ({ pathname }) => pathname === '/inbox' });
  const isLooking = useHasAttention() && (told?.channels ?? []).some(({ isOn }) => isOn);
  const wasNoted = useRef(false);
  useEffect(() => {
    if (!isLooking) return;
    const place = isInbox
      ? { projectId: null }
      : projectId !== undefined && { projectId, ...(agentId !== undefined && { agentId }) };
    if (!place) {
      if (wasNoted.current) note(null);
      return;
    }
    wasNoted.current = true;
    note(place);
    let touchedAt = performance.now();
    const touch = () => {
      touchedAt = performance.now();
    };
    for (const type of INPUTS) window.addEventListener(type, touch, { passive: true });
    const timer = setInterval(() => {
      if (performance.now() - touchedAt < LEFT_AFTER_MS) note(place);
    }, RENEW_ATTENTION_MS);
    return () => {
      clearInterval(timer);
      for (const type of INPUTS) window.removeEventListener(type, touch);
    };
  }, [isLooking, isInbox, projectId, agentId]);
  useEffect(() => {
    if (!isLooking) return;
    return () => {
      if (wasNoted.current && session.get().csrf !== undefined) note(null);
    };
  }, [isLooking]);
}

function note(place: { projectId: string | null; agentId?: string } | null): void {
  // The next one comes soon; one that is missing means a notification too many.
  void callApi('noteAttention', { body: { viewerId, place }, keepalive: true }).catch(() => undefined);
}

/** Takes away what the service worker has shown and what does not wait any more. */
function useShownNotifications(): void {
  const { items } = useInbox();
  useEffect(() => {
    if (!items || !('serviceWorker' in navigator)) return;
    const waiting = new Set(items.map(({ refId }) => refId));
    void (async () => {
      const worker = await navigator.serviceWorker.getRegistration();
      for (const shown of (await worker?.getNotifications()) ?? []) {
        const id: unknown = shown.data?.question?.toolUseId;
        if (typeof id === 'string' && !waiting.has(id)) shown.close();
      }
    })();
  }, [items]);
}
