import { onStoredElsewhere, storage } from '../../lib/storage.ts';
import { Store } from '../../lib/store.ts';

/** off: the browser allows notifications, the person has switched them off. */
export type NotificationState = 'unsupported' | 'ask' | 'denied' | 'off' | 'on';

const KEY = 'notifications';

/** The state in this browser. The permission is requested only after a click. */
export const notificationState = new Store<NotificationState>(read());

function read(): NotificationState {
  // Available only in a secure context: https or localhost.
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

/** The permission can be changed in the browser, outside of the page. */
export function followPermission(): () => void {
  window.addEventListener('focus', renew);
  const stop = onStoredElsewhere(KEY, renew);
  return () => {
    window.removeEventListener('focus', renew);
    stop();
  };
}
