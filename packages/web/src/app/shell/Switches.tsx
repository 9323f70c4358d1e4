import { useTranslation } from 'react-i18next';
import { Button, IconButton } from '../../components/Button.tsx';
import { useIsNarrow } from '../../lib/hooks/use-media-query.ts';
import { changeLocale, toLocale } from '../../lib/i18n.ts';
import { useStore } from '../../lib/store.ts';
import { setTheme, theme } from '../../lib/theme.ts';

/** Names the language that it switches to, in that language. */
export function LanguageSwitch() {
  const { t, i18n } = useTranslation();
  const isNarrow = useIsNarrow();
  const other = toLocale(i18n.language) === 'ja' ? 'en' : 'ja';
  const full = other === 'ja' ? '日本語' : 'English';
  const short = other === 'ja' ? '日' : 'EN';
  const visible = isNarrow ? short : full;
  return (
    <Button
      variant="quiet"
      size="sm"
      lang={other}
      aria-label={`${visible}: ${t('app.language')}`}
      data-testid="language-switch"
      onClick={() => void changeLocale(other)}
    >
      {visible}
    </Button>
  );
}

export function ThemeSwitch() {
  const { t } = useTranslation();
  const mode = useStore(theme);
  return (
    <IconButton
      icon="theme"
      label={t('app.theme')}
      data-testid="theme-switch"
      onClick={() => setTheme(mode === 'dark' ? 'light' : 'dark')}
    />
  );
}
