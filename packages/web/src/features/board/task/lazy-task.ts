import { lazyRouteComponent } from '@tanstack/react-router';
import { withTexts } from '../../../lib/i18n.ts';
import { Markdown } from '../../chat/message/lazy-markdown.ts';

/** The board can be seen without them: they are loaded when it is idle, or when a task is opened. */
export const TaskPanel = lazyRouteComponent(
  withTexts(() => import('./TaskPanel.tsx')),
  'TaskPanel',
);
export const CreateTaskDialog = lazyRouteComponent(
  withTexts(() => import('./CreateTaskDialog.tsx')),
  'CreateTaskDialog',
);

export async function preloadTask(): Promise<void> {
  await Promise.all([TaskPanel.preload?.(), CreateTaskDialog.preload?.(), Markdown.preload?.()]);
}
