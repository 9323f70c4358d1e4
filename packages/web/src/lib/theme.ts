import { storage } from './storage.ts';
import { Store } from './store.ts';

export type Theme = 'light' | 'dark';

/** public/theme.js has set it before the first paint. */
export const theme = new Store<Theme>(document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light');

export function setTheme(next: Theme): void {
  storage.set('theme', next);
  document.documentElement.dataset.theme = next;
  theme.set(next);
}

/** Until the person chooses a theme it follows the system, also while the page is open. */
export function followSystemTheme(): () => void {
  const query = matchMedia('(prefers-color-scheme: dark)');
  const onChange = () => {
    if (storage.get('theme') !== undefined) return;
    const next = query.matches ? 'dark' : 'light';
    document.documentElement.dataset.theme = next;
    theme.set(next);
  };
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
}
