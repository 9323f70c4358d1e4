import { lazyRouteComponent } from '@tanstack/react-router';
import { withTexts } from '../../../lib/i18n.ts';

/** Few people ask: loaded when the first one does. */
export const MemoryUsed = lazyRouteComponent(
  withTexts(() => import('./MemoryUsed.tsx')),
  'MemoryUsed',
);
