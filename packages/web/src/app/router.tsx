import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { readInboxSearch } from '../features/inbox/inbox-search.ts';
import { readMemorySearch } from '../features/memory/memory-address.ts';
import { isServed } from '../lib/api/is-served.ts';
import { withTexts } from '../lib/i18n.ts';
import { lacksCode } from '../lib/late-component.ts';
import { pageCode } from '../lib/page-code.ts';
import { session } from '../lib/session.ts';
import { tabStorage } from '../lib/tab-storage.ts';
import { ErrorPage } from './ErrorPage.tsx';
import { NotFoundPage } from './NotFoundPage.tsx';
import { preloadBoard, preloadProject } from './preload.ts';
import { readLoginSearch, readProjectSearch, readProjectsSearch } from './search.ts';
import { AppLayout } from './shell/AppLayout.tsx';

/** Pages are loaded when they are opened. */
function code<T>(load: () => Promise<T>): () => Promise<T> {
  return pageCode(load, () => router.state.isLoading);
}

/** The addresses of the pages. */
const root = createRootRoute({ notFoundComponent: NotFoundPage, errorComponent: ErrorPage });

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: readLoginSearch,
  component: lazyRouteComponent(
    code(() => import('./outside-pages.ts')),
    'LoginPage',
  ),
});

/** Opened from a notification, also where nobody is signed in. */
const answer = createRoute({
  getParentRoute: () => root,
  path: '/answer',
  component: lazyRouteComponent(code(withTexts(() => import('./outside-pages.ts'))), 'AnswerPage'),
});

const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: ({ location }) => {
    if (session.get().csrf !== undefined) return;
    throw redirect({
      to: '/login',
      search: location.href === '/' ? {} : { next: location.href },
      replace: true,
    });
  },
  component: AppLayout,
});

const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/projects', replace: true });
  },
});

const projects = createRoute({
  getParentRoute: () => signedIn,
  path: '/projects',
  validateSearch: readProjectsSearch,
  component: lazyRouteComponent(
    code(() => import('../features/projects/ProjectsPage.tsx')),
    'ProjectsPage',
  ),
});

const project = createRoute({
  getParentRoute: () => signedIn,
  path: '/projects/$projectId',
  validateSearch: readProjectSearch,
  loaderDeps: ({ search: { agent } }) => ({ agent }),
  loader: ({ params: { projectId }, deps: { agent }, cause, location }) => {
    // A browser has six connections to a host: the longest read must not wait behind the short ones.
    if (agent === undefined && location.pathname.endsWith(`/${projectId}`)) preloadBoard(projectId);
    return preloadProject(projectId, agent, cause);
  },
  // Loaded data is kept current by the socket.
  shouldReload: false,
  component: lazyRouteComponent(
    code(() => import('../features/projects/ProjectFrame.tsx')),
    'ProjectFrame',
  ),
});

const board = createRoute({
  getParentRoute: () => project,
  path: '/',
  loader: ({ params: { projectId } }) => preloadBoard(projectId),
  shouldReload: false,
  component: lazyRouteComponent(
    code(() => import('../features/board/BoardPage.tsx')),
    'BoardPage',
  ),
});

const schedules = createRoute({
  getParentRoute: () => project,
  path: '/schedules',
  component: lazyRouteComponent(
    code(withTexts(() => import('../features/schedules/SchedulesPage.tsx'))),
    'SchedulesPage',
  ),
});

const conversations = createRoute({
  getParentRoute: () => project,
  path: '/conversations',
  component: lazyRouteComponent(
    code(() => import('../features/conversations/ConversationsPage.tsx')),
    'ConversationsPage',
  ),
});

const conversation = createRoute({
  getParentRoute: () => signedIn,
  path: '/conversations/$conversationId',
  component: lazyRouteComponent(
    code(() => import('../features/conversations/ConversationAddress.tsx')),
    'ConversationAddress',
  ),
});

const runs = createRoute({
  getParentRoute: () => project,
  path: '/runs',
  component: lazyRouteComponent(code(withTexts(() => import('../features/runs/RunsPage.tsx'))), 'RunsPage'),
});

const usage = createRoute({
  getParentRoute: () => project,
  path: '/usage',
  component: lazyRouteComponent(
    code(withTexts(() => import('../features/usage/UsagePage.tsx'))),
    'UsagePage',
  ),
});

const changes = createRoute({
  getParentRoute: () => project,
  path: '/runs/$runId/changes',
  component: lazyRouteComponent(
    code(() => import('../features/changes/ChangesPage.tsx')),
    'ChangesPage',
  ),
});

const projectSettings = createRoute({
  getParentRoute: () => project,
  path: '/settings',
  component: lazyRouteComponent(
    code(withTexts(() => import('../features/projects/ProjectSettingsPage.tsx'))),
    'ProjectSettingsPage',
  ),
});

const inbox = createRoute({
  getParentRoute: () => signedIn,
  path: '/inbox',
  validateSearch: readInboxSearch,
  component: lazyRouteComponent(
    code(() => import('../features/inbox/InboxPage.tsx')),
    'InboxPage',
  ),
});

const settings = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings',
  component: lazyRouteComponent(
    code(withTexts(() => import('../features/settings/SettingsPage.tsx'))),
    'SettingsPage',
  ),
});

const settingsSection = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings/$section',
  component: lazyRouteComponent(
    code(withTexts(() => import('../features/settings/SettingsPage.tsx'))),
    'SettingsPage',
  ),
});

/** An unknown address: said under the top bar, so that the navigation stays available. */
const unknown = createRoute({ getParentRoute: () => signedIn, path: '$', component: NotFoundPage });

const agent = createRoute({
  getParentRoute: () => signedIn,
  path: '/agents/$agentId',
  component: lazyRouteComponent(
    code(withTexts(() => import('../features/agents/AgentPage.tsx'))),
    'AgentPage',
  ),
});

const memory = createRoute({
  getParentRoute: () => signedIn,
  path: '/memory/$agentId',
  validateSearch: readMemorySearch,
  component: lazyRouteComponent(
    code(withTexts(() => import('../features/memory/MemoryPage.tsx'))),
    'MemoryPage',
  ),
});

export const router = createRouter({
  routeTree: root.addChildren([
    login,
    answer,
    signedIn.addChildren([
      home,
      projects,
      project.addChildren([board, conversations, runs, changes, schedules, usage, projectSettings]),
      conversation,
      inbox,
      settings,
      settingsSection,
      agent,
      memory,
      unknown,
    ]),
  ]),
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  scrollRestoration: false,
});

const REPLACED_AT = 'replaced-at';
/** Code that never comes, for instance because something blocks it, does not cost a document for each page. */
const REPLACED_EVERY_MS = 10 * 60_000;

/** A document that lacks code is replaced once the person has opened another page, and the server is there. */
router.subscribe('onResolved', ({ pathChanged }) => {
  if (!pathChanged || !lacksCode.get()) return;
  if (Date.now() - Number(tabStorage.get(REPLACED_AT) ?? 0) < REPLACED_EVERY_MS) return;
  void isServed().then((served) => {
    if (!served) return;
    tabStorage.set(REPLACED_AT, String(Date.now()));
    window.location.reload();
  });
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
