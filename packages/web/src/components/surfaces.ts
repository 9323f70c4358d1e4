/* One chunk: all of it stands on the same positioning code. */
export { MenuItem, MenuSeparator, MenuSurface } from './MenuSurface.tsx';
export { TooltipSurface } from './TooltipSurface.tsx';
