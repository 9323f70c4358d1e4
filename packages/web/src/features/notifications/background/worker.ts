/** As in service-worker.ts. */
const SESSION_CACHE = 'aizuchi-session';

let registered: Promise<ServiceWorkerRegistration | undefined> | undefined;

/** The service worker of this build; undefined where a browser has none, or refuses it. */
export function registration(): Promise<ServiceWorkerRegistration | undefined> {
  if (!('serviceWorker' in navigator) || import.meta.env.DEV) return Promise.resolve(undefined);
  registered ??= navigator.serviceWorker
    .register('/sw.js', { updateViaCache: 'none' })
    .catch(() => undefined);
  return registered;
}

/** With it the worker answers a question from its notification as the person who is signed in here. */
export async function keepCsrf(csrf: string | undefined): Promise<void> {
  if (csrf === undefined || !('caches' in globalThis)) return;
  await (await caches.open(SESSION_CACHE)).put('/csrf', new Response(csrf));
}

/** Nothing of the person who has signed out is left to the next one. */
export async function forgetPerson(): Promise<void> {
  if ('caches' in globalThis) await caches.delete(SESSION_CACHE);
  if ('clearAppBadge' in navigator) await navigator.clearAppBadge().catch(() => undefined);
  if (!('serviceWorker' in navigator)) return;
  const worker = await navigator.serviceWorker.getRegistration();
  for (const shown of (await worker?.getNotifications()) ?? []) shown.close();
}
