/**
 * Shows notifications while no page is open, and says that the server cannot be reached when a page is opened without it.
 * It keeps no page and no answer of the API: what it shows is never older than the server, and nothing that it has kept is
 * left when a person signs out. It is one file without imports, which vite.config.ts compiles and names after the build.
 */
declare const self: ServiceWorkerGlobalScope;
/** Set by the build: another one replaces this worker. */
declare const BUILD: string;

interface Pushed {
  readonly tag: string;
  readonly title: string;
  readonly body: string;
  readonly path: string;
  readonly locale: 'ja' | 'en';
  readonly badge: number;
  readonly question?: { readonly toolUseId: string; readonly options: readonly string[] };
}

/** As `maxActions` of the DOM library, which types it for windows only. */
interface Action {
  readonly action: string;
  readonly title: string;
}

const OFFLINE = '/offline.html';
const OFFLINE_FILES = [OFFLINE, '/offline.css', '/offline.js'];
const CACHE = `aizuchi-offline-${BUILD}`;
/** What the page leaves here for answers from a notification; it takes it away when the person signs out. */
const SESSION_CACHE = 'aizuchi-session';
const MAX_ACTIONS = 3;
const ANSWER = 'option-';

const TEXTS = {
  ja: { failed: '答えを届けられませんでした', open: '開いて答えてください。' },
  en: { failed: 'Your answer did not arrive', open: 'Open it to answer.' },
};

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll(OFFLINE_FILES.map((url) => new Request(url, { cache: 'reload' }))))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener('activate', (event) => {
  const isOld = (name: string) => name.startsWith('aizuchi-offline-') && name !== CACHE;
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter(isOld).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { pathname } = new URL(request.url);
  if (request.mode === 'navigate' && !pathname.startsWith('/api/'))
    event.respondWith(fetch(request).catch(() => kept(OFFLINE)));
  // The page that says so needs its two files.
  else if (OFFLINE_FILES.includes(pathname)) event.respondWith(fetch(request).catch(() => kept(pathname)));
});

async function kept(path: string): Promise<Response> {
  const cache = await caches.open(CACHE);
  return (await cache.match(path)) ?? Response.error();
}

self.addEventListener('push', (event) => {
  const pushed = read(event.data);
  if (pushed) event.waitUntil(show(pushed));
});

self.addEventListener('notificationclick', (event) => {
  const { notification, action } = event;
  notification.close();
  const pushed: Pushed = notification.data;
  event.waitUntil(
    action.startsWith(ANSWER) ? answer(pushed, action.slice(ANSWER.length)) : open(pushed.path),
  );
});

/** Every push has to show something, else the browser takes the subscription back. */
function read(data: PushMessageData | null): Pushed | undefined {
  try {
    return data?.json();
  } catch {
    return undefined;
  }
}

async function show(pushed: Pushed): Promise<void> {
  const options = pushed.question?.options ?? [];
  const actions: Action[] = options.map((title, index) => ({ action: `${ANSWER}${index}`, title }));
  const shown: NotificationOptions & { actions: Action[] } = {
    body: pushed.body,
    tag: pushed.tag,
    lang: pushed.locale,
    icon: '/icon-192.png',
    badge: '/badge-96.png',
    data: pushed,
    // With more options than the system shows, the person opens the card to see all of them.
    actions: actions.length <= MAX_ACTIONS ? actions : [],
  };
  await self.registration.showNotification(pushed.title, shown);
  const navigator: WorkerNavigator & { setAppBadge?: (count: number) => Promise<void> } = self.navigator;
  if (pushed.badge > 0) await navigator.setAppBadge?.(pushed.badge).catch(() => undefined);
}

/** In the name of the person who is signed in here; where that fails the card is opened. */
async function answer(pushed: Pushed, option: string): Promise<void> {
  const { question, locale } = pushed;
  const session = await (await caches.open(SESSION_CACHE)).match('/csrf');
  const csrf = await session?.text();
  if (!question || csrf === undefined) return open(pushed.path);
  const response = await fetch(`/api/questions/${encodeURIComponent(question.toolUseId)}/answer`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-aizuchi-csrf': csrf },
    body: JSON.stringify({ answers: { 0: option } }),
  }).catch(() => undefined);
  if (response?.ok) return;
  const { failed, open: hint } = TEXTS[locale];
  const { question: _answered, ...rest } = pushed;
  await show({ ...rest, title: failed, body: `${pushed.title}\n${hint}` });
}

async function open(path: string): Promise<void> {
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const [page] = pages;
  if (!page) {
    await self.clients.openWindow(path);
    return;
  }
  await page.focus();
  // The page goes there by itself: nothing that is written in it is lost.
  page.postMessage({ open: path });
}

export {};
