import { useTranslation } from 'react-i18next';
import { KeyCap } from '../../components/KeyCap.tsx';

/** The keys of a list of rows: J, K and the one that acts, with what it does. */
export function RowKeys({ actKey, children }: { readonly actKey: string; readonly children: string }) {
  const { t } = useTranslation();
  return (
    <p className="flex flex-wrap items-center gap-x-1.5 gap-y-1 px-3 text-12 text-ink-3 pointer-coarse:hidden">
      <KeyCap>J</KeyCap>
      <KeyCap>K</KeyCap>
      <span className="mr-2">{t('inbox.keys.move')}</span>
      <KeyCap>{actKey}</KeyCap>
      <span>{children}</span>
    </p>
  );
}
