import { lazyRouteComponent } from '@tanstack/react-router';

/** As large as the rest of the chat: a chunk of its own, requested together with the panel. */
export const Markdown = lazyRouteComponent(() => import('./Markdown.tsx'), 'Markdown');
