import { useTranslation } from 'react-i18next';

/** Slot: /settings and /settings/:section. */
export function SettingsPage() {
  const { t } = useTranslation();
  return (
    <main id="content" className="p-6">
      <h1 className="text-16 font-semibold">{t('app.settings')}</h1>
    </main>
  );
}
