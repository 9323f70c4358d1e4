import { useTranslation } from 'react-i18next';

/** Slot: /agents/:id. */
export function AgentPage() {
  const { t } = useTranslation();
  return (
    <main id="content" className="p-6">
      <h1 className="text-16 font-semibold">{t('app.settings')}</h1>
    </main>
  );
}
