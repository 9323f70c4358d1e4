import { lazyRouteComponent } from '@tanstack/react-router';
import { withTexts } from '../../../lib/i18n.ts';

/* The board in columns needs none of them. */
export const FilterBar = lazyRouteComponent(
  withTexts(() => import('../filter/FilterBar.tsx')),
  'FilterBar',
);
export const LanesView = lazyRouteComponent(
  withTexts(() => import('./LanesView.tsx')),
  'LanesView',
);
export const ProblemsView = lazyRouteComponent(
  withTexts(() => import('./ProblemsView.tsx')),
  'ProblemsView',
);
