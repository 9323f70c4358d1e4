import { lazyRouteComponent } from '@tanstack/react-router';
import { Markdown } from './message/lazy-markdown.ts';
import { readFirstPageEarly } from './timeline/read-page.ts';

/** Once loaded it renders without a fallback: React delays content that replaces a fallback by 300 ms. */
export const ChatPanel = lazyRouteComponent(() => import('./ChatPanel.tsx'), 'ChatPanel');

/** Loads the code of a chat, and its newest messages if it is certain to be opened. Resolves with the code. */
export async function preloadChat(projectId: string, agentId: string, isOpened: boolean): Promise<void> {
  if (isOpened) readFirstPageEarly(projectId, agentId);
  await preloadPanel();
}

export async function preloadPanel(): Promise<void> {
  await Promise.all([ChatPanel.preload?.(), Markdown.preload?.()]);
}
