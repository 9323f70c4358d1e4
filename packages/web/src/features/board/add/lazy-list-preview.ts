import { lazyRouteComponent } from '@tanstack/react-router';
import { withTexts } from '../../../lib/i18n.ts';

/** Loaded when the first list is pasted. */
export const ListPreview = lazyRouteComponent(
  withTexts(() => import('./ListPreview.tsx')),
  'ListPreview',
);
