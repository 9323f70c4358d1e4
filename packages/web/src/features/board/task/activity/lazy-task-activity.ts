import { lazyRouteComponent } from '@tanstack/react-router';
import { withTexts } from '../../../../lib/i18n.ts';

/** Loaded with the first task that is opened. */
export const TaskActivity = lazyRouteComponent(
  withTexts(() => import('./TaskActivity.tsx')),
  'TaskActivity',
);
