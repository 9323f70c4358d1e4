import { Store } from '../../lib/store.ts';

/** Whether the command menu is open; set by its key and by the button of the top bar. */
export const isMenuOpen = new Store(false);

/** Whether the sheet of keys is open. */
export const isKeySheetOpen = new Store(false);

/** What was typed while the menu was being loaded. */
export const earlyWords = new Store('');
