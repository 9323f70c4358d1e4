import { lateComponent } from '../lib/late-component.ts';

const load = () => import('./surfaces.ts');

/* What opens over the page: no page needs it at once. It is loaded when the page is idle, or when it is asked for. */
export const MenuItem = lateComponent(async () => (await load()).MenuItem);
export const MenuSeparator = lateComponent(async () => (await load()).MenuSeparator);
/** After its items: a menu that a key opens has the focus on the first of them. */
export const MenuSurface = lateComponent(async () => {
  await Promise.all([MenuItem.preload(), MenuSeparator.preload()]);
  return (await load()).MenuSurface;
});
/** Without its code there is no tip: what it says is also elsewhere. */
export const TooltipSurface = lateComponent(async () => (await load()).TooltipSurface);

export async function preloadSurfaces(): Promise<void> {
  await Promise.all([MenuSurface, TooltipSurface].map((one) => one.preload()));
}
