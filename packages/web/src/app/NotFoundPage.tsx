import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { buttonClass } from '../components/Button.tsx';
import { EmptyState } from '../components/EmptyState.tsx';

export function NotFoundPage() {
  const { t } = useTranslation();
  return (
    <main id="content" className="mx-auto max-w-[960px] px-6 py-12">
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
