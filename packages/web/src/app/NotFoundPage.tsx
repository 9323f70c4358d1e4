import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { buttonClass } from '../components/Button.tsx';
import { EmptyState } from '../components/EmptyState.tsx';

export function NotFoundPage() {
  const { t } = useTranslation();
  return (
    <main className="p-6">
      <EmptyState
        icon="search"
        level={1}
        title={t('app.notFoundTitle')}
        action={
          <Link to="/projects" className={buttonClass()}>
            {t('app.toProjects')}
          </Link>
        }
      >
        {t('app.notFoundText')}
      </EmptyState>
    </main>
  );
}
