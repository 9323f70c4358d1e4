import { useEffect } from 'react';

const TITLE = 'Aizuchi';
const MARK =
  '<path d="M4 15.5 10 4l6 11.5M7.4 11.5c1.7 1.3 3.5 1.3 5.2 0" fill="none" stroke="#5b7fc7" stroke-width="1.75" stroke-linecap="round"/>';

/** Shows the name of the page and the number of waiting items in the title of the tab, the number in its icon, too. */
export function useTabBadge(count: number, page: string): void {
  useEffect(() => {
    show(count, page);
    // After the sign-out there is neither.
    return () => show(0, '');
  }, [count, page]);
}

function show(count: number, page: string): void {
  const name = page === '' ? TITLE : `${page} · ${TITLE}`;
  document.title = count > 0 ? `(${count}) ${name}` : name;
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (icon) icon.href = count > 0 ? countIcon(count) : '/favicon.svg';
}

function countIcon(count: number): string {
  const text = count > 9 ? '9+' : String(count);
  const size = text.length > 1 ? 8 : 10;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20">${MARK}<circle cx="14" cy="14" r="6" fill="#7d4b00"/><text x="14" y="${14 + size * 0.36}" font-family="sans-serif" font-weight="700" font-size="${size}" text-anchor="middle" fill="#fff">${text}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
