import { lazyRouteComponent } from '@tanstack/react-router';

/** With the library that compares texts: loaded with the first diff. */
export const DiffView = lazyRouteComponent(() => import('./DiffView.tsx'), 'DiffView');
export const DiffCount = lazyRouteComponent(() => import('./DiffView.tsx'), 'DiffCount');
export const PatchView = lazyRouteComponent(() => import('./DiffView.tsx'), 'PatchView');
