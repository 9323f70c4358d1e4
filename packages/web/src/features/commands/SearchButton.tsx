import { useTranslation } from 'react-i18next';
import { IconButton } from '../../components/Button.tsx';
import { Icon } from '../../components/Icon.tsx';
import { KeyCap } from '../../components/KeyCap.tsx';
import { useIsWide } from '../../lib/hooks/use-media-query.ts';
import { isMac } from '../../lib/is-mac.ts';
import { isMenuOpen } from './menu-store.ts';

/** Opens the command menu, for those who do not use its key. */
export function SearchButton() {
  const { t } = useTranslation();
  const open = () => isMenuOpen.set(true);
  if (!useIsWide())
    return (
      <IconButton icon="search" label={t('app.openCommands')} size="md" onClick={open} data-testid="search" />
    );
  return (
    <button
      type="button"
      data-testid="search"
      onClick={open}
      className="flex h-7 w-56 flex-none items-center gap-2 rounded-md border border-line bg-canvas px-2.5 text-13 text-ink-3 hover:bg-hover"
    >
      <Icon name="search" size={14} />
      <span className="min-w-0 flex-1 truncate text-left">{t('app.openCommands')}</span>
      <KeyCap>{isMac ? '⌘' : 'Ctrl'}</KeyCap>
      <KeyCap>K</KeyCap>
    </button>
  );
}
