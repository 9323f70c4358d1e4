import { lateComponent } from '../../../lib/late-component.ts';

/** The board can be seen without it: it is loaded when the board is idle, or when it is asked for. */
export const MoveMenu = lateComponent(async () => (await import('./MoveMenu.tsx')).MoveMenu);
