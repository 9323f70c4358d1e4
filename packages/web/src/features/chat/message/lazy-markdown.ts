import { lazyRouteComponent } from '@tanstack/react-router';

/** As large as the rest of the chat: it comes on its own, and is asked for together with the panel. */
export const Markdown = lazyRouteComponent(() => import('./Markdown.tsx'), 'Markdown');
