import { lazyRouteComponent } from '@tanstack/react-router';
import { withTexts } from '../../../lib/i18n.ts';

export const PutAway = lazyRouteComponent(
  withTexts(() => import('./PutAway.tsx')),
  'PutAway',
);
