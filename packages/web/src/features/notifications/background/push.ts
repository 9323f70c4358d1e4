import type { NotificationChannel, Notifications } from '@aizuchi/shared/contract/notification';
import { callApi } from '../../../lib/api/call-api.ts';
import { storage } from '../../../lib/storage.ts';
import { registration } from './worker.ts';

/** The person who wants to be told in this browser, and the channel. */
const KEY = 'push';

export function ownPushChannel(): string | undefined {
  return storage.get(KEY)?.split(' ')[1];
}

export const canPush = () => 'PushManager' in globalThis && 'serviceWorker' in navigator;

/** Asks the browser, and adds it as a channel. Throws what the browser says, or ApiError. */
export async function addPush(meId: string, publicKey: string): Promise<NotificationChannel> {
  const worker = await registration();
  if (!worker) throw new Error('no service worker');
  await navigator.serviceWorker.ready;
  const applicationServerKey = bytesOf(publicKey);
  const before = await worker.pushManager.getSubscription();
  if (before && !isSame(before.options.applicationServerKey, applicationServerKey))
    await before.unsubscribe();
  const subscription = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  const { endpoint, keys } = subscription.toJSON();
  const channel = await callApi('createNotificationChannel', {
    body: {
      kind: 'web_push',
      name: browserName(),
      endpoint: endpoint ?? '',
      keys: { p256dh: keys?.p256dh ?? '', auth: keys?.auth ?? '' },
    },
  });
  storage.set(KEY, `${meId} ${channel.id}`);
  return channel;
}

export async function removePush(): Promise<void> {
  storage.remove(KEY);
  const subscription = await (await registration())?.pushManager.getSubscription();
  await subscription?.unsubscribe();
}

/** The channel ends with its sign-in, and with the keys of the server: the person who wanted it gets it back. */
export async function renewPush(meId: string, { channels, publicKey }: Notifications): Promise<void> {
  const [who, id] = storage.get(KEY)?.split(' ') ?? [];
  if (who !== meId || !canPush() || Notification.permission !== 'granted') return;
  const known = channels.find((channel) => channel.id === id);
  if (known && known.failure === undefined) return;
  const worker = await registration();
  // The browser would take pushes and the server has no channel: the person has deleted it in another browser.
  if (!known && (await worker?.pushManager.getSubscription())) return removePush();
  // The browser refuses it now: the settings show it as off.
  await addPush(meId, publicKey).catch(() => storage.remove(KEY));
}

function browserName(): string {
  const { userAgent } = navigator;
  const browser = /Edg\//.test(userAgent)
    ? 'Edge'
    : /Firefox\//.test(userAgent)
      ? 'Firefox'
      : /Chrome\//.test(userAgent)
        ? 'Chrome'
        : 'Safari';
  const system = /Android|iPhone|iPad|Windows|Mac|Linux/.exec(userAgent)?.[0];
  return system === undefined ? browser : `${browser} · ${system}`;
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function isSame(one: ArrayBuffer | null, other: Uint8Array): boolean {
  const bytes = new Uint8Array(one ?? new ArrayBuffer(0));
  return bytes.length === other.length && bytes.every((byte, index) => byte === other[index]);
}
