import { lateComponent } from '../lib/late-component.ts';

const load = () => import('./surfaces.ts');

/* What opens over the page: no page needs it at once. It is loaded when the page is idle, or when it is asked for. */
export const MenuSurface = lateComponent(async () => (await load()).MenuSurface);
export const MenuItem = lateComponent(async () => (await load()).MenuItem);
export const MenuSeparator = lateComponent(async () => (await load()).MenuSeparator);
/** Without its code there is no tip: what it says is also elsewhere. */
export const TooltipSurface = lateComponent(async () => (await load()).TooltipSurface);

export async function preloadSurfaces(): Promise<void> {
  // The items before the menu: one that opens must not wait for them.
  await Promise.all([MenuItem, MenuSeparator, MenuSurface, TooltipSurface].map((one) => one.preload()));
}
