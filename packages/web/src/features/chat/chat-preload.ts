import { lazyRouteComponent } from '@tanstack/react-router';
import { Markdown } from './message/lazy-markdown.ts';
import { readFirstPageEarly } from './timeline/read-page.ts';

/** Once loaded it renders without a fallback: React delays content that replaces a fallback by 300 ms. */
export const ChatPanel = lazyRouteComponent(() => import('./ChatPanel.tsx'), 'ChatPanel');

/** On a slow network its column opens without its code, and says so: a click that shows nothing looks lost. */
const LONGEST_WAIT_MS = 200;

/**
 * Loads the code of a chat, and its newest messages if it is certain to be opened. Resolves with the code; soon
 * without it where the project is on the page already.
 */
export async function preloadChat(
  projectId: string,
  agentId: string,
  cause: 'enter' | 'stay' | 'preload',
): Promise<void> {
  if (cause !== 'preload') readFirstPageEarly(projectId, agentId);
  const loaded = preloadPanel();
  // A click joins the load that its hover has begun.
  if (cause === 'enter') await loaded;
  else await Promise.race([loaded, new Promise((resolve) => setTimeout(resolve, LONGEST_WAIT_MS))]);
}

export async function preloadPanel(): Promise<void> {
  await Promise.all([ChatPanel.preload?.(), Markdown.preload?.()]);
}
