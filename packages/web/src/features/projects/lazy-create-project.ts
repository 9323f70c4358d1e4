import { lazyRouteComponent } from '@tanstack/react-router';

/** The list of projects can be seen without it: it is loaded when the page is idle, or when it is asked for. */
export const CreateProjectDialog = lazyRouteComponent(
  () => import('./CreateProjectDialog.tsx'),
  'CreateProjectDialog',
);
