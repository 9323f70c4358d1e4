import { onStoredElsewhere, storage } from '../../lib/storage.ts';
import { Store } from '../../lib/store.ts';

/** off: the browser would, the person does not want it now. */
export type NotificationState = 'unsupported' | 'ask' | 'denied' | 'off' | 'on';

const KEY = 'notifications';

/** Of this browser. Asked for by a click, never by itself. */
export const notificationState = new Store<NotificationState>(read());

function read(): NotificationState {
  // Only a secure context has them: https, or this host.
  if (!('Notification' in globalThis)) return 'unsupported';
  if (Notification.permission === 'denied') return 'denied';
  if (Notification.permission === 'default') return 'ask';
  return storage.get(KEY) === 'off' ? 'off' : 'on';
}

const renew = () => notificationState.set(read());

export async function askForNotifications(): Promise<void> {
  await Notification.requestPermission();
  storage.remove(KEY);
  renew();
}

export function switchNotifications(isOn: boolean): void {
  if (isOn) storage.remove(KEY);
  else storage.set(KEY, 'off');
  renew();
}

/** The permission is the browser's, and is changed beside the page. */
export function followPermission(): () => void {
  window.addEventListener('focus', renew);
  const stop = onStoredElsewhere(KEY, renew);
  return () => {
    window.removeEventListener('focus', renew);
    stop();
  };
}
