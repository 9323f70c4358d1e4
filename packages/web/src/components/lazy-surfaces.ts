import { lazyRouteComponent } from '@tanstack/react-router';
import { type ComponentType, lazy } from 'react';
import type { TooltipSurfaceProps } from './TooltipSurface.tsx';

/* What opens over the page: no page needs it at once. It is loaded when the page is idle, or when it is asked for. */
export const MenuSurface = lazyRouteComponent(() => import('./surfaces.ts'), 'MenuSurface');
export const MenuItem = lazyRouteComponent(() => import('./surfaces.ts'), 'MenuItem');
export const MenuSeparator = lazyRouteComponent(() => import('./surfaces.ts'), 'MenuSeparator');
/** Without its code there is no tip: what it says is also elsewhere, so the page goes on. */
export const TooltipSurface = lazy<ComponentType<TooltipSurfaceProps>>(() =>
  import('./surfaces.ts').then(
    ({ TooltipSurface: Surface }) => ({ default: Surface }),
    () => ({ default: () => null }),
  ),
);

export function preloadSurfaces(): void {
  for (const one of [MenuSurface, MenuItem, MenuSeparator]) void one.preload?.();
}
