import { lazyRouteComponent } from '@tanstack/react-router';
import { withTexts } from '../../../lib/i18n.ts';

export const FolderPicker = lazyRouteComponent(
  withTexts(() => import('./FolderPicker.tsx')),
  'FolderPicker',
);
