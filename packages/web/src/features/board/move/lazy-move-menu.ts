import { lazyRouteComponent } from '@tanstack/react-router';

/** The board can be seen without it: it is loaded when the board is idle, or when it is asked for. */
export const MoveMenu = lazyRouteComponent(() => import('./MoveMenu.tsx'), 'MoveMenu');
