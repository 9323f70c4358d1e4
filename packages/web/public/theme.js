// Before the first paint, so that a dark page does not flash white. A file of its own: the policy of the page
// allows no inline script. The keys are those of src/lib/theme.ts and src/lib/i18n.ts.
(() => {
  const root = document.documentElement;
  const stored = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = stored('aizuchi.theme') ?? (isDark ? 'dark' : 'light');
  root.lang = stored('aizuchi.locale') ?? (navigator.language.startsWith('ja') ? 'ja' : 'en');
})();
