// A file of its own: the policy of the page allows no inline script. The keys are those of the page (theme.js).
(() => {
  const root = document.documentElement;
  const stored = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  const locale = stored('aizuchi.locale') ?? (navigator.language.startsWith('ja') ? 'ja' : 'en');
  root.dataset.locale = locale;
  root.lang = locale;
  const theme = stored('aizuchi.theme');
  if (theme) root.style.colorScheme = theme;
  const time = new Intl.DateTimeFormat(locale, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(new Date());
  document.getElementById('since').textContent = locale === 'ja' ? `${time} から` : `Since ${time}`;
  const open = () => location.reload();
  for (const button of document.querySelectorAll('button')) button.addEventListener('click', open);
  const look = () =>
    fetch('/healthz').then(
      ({ ok }) => ok && open(),
      () => undefined,
    );
  setInterval(look, 5000);
  addEventListener('online', look);
})();
