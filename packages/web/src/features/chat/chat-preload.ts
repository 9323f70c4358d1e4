import { lazyRouteComponent } from '@tanstack/react-router';
import { Markdown } from './message/lazy-markdown.ts';
import { readFirstPageEarly } from './timeline/read-page.ts';

/** Once it is loaded it is there without a fallback: React shows what follows a fallback 300 ms later. */
export const ChatPanel = lazyRouteComponent(() => import('./ChatPanel.tsx'), 'ChatPanel');

/** Of a chat that is about to be opened: its newest messages when it surely is, and its code; resolves with that. */
export async function preloadChat(projectId: string, agentId: string, isOpened: boolean): Promise<void> {
  if (isOpened) readFirstPageEarly(projectId, agentId);
  await preloadPanel();
}

export async function preloadPanel(): Promise<void> {
  await Promise.all([ChatPanel.preload?.(), Markdown.preload?.()]);
}
