import type { ErrorComponentProps } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Button } from '../components/Button.tsx';
import { EmptyState } from '../components/EmptyState.tsx';

export function ErrorPage(props: ErrorComponentProps) {
  return (
    <main>
      <CrashNotice {...props} />
    </main>
  );
}

/** A component threw. A reload also helps when a chunk of an older build no longer exists. */
export function CrashNotice({ error }: ErrorComponentProps) {
  const { t } = useTranslation();
  return (
    <div role="alert" className="flex flex-col gap-3 p-6">
      <EmptyState
        icon="warning"
        title={t('app.crashedTitle')}
        action={
          <Button icon="retry" onClick={() => location.reload()}>
            {t('app.reload')}
          </Button>
        }
      >
        {t('app.crashedText')}
      </EmptyState>
      <pre className="max-w-[720px] rounded-md border border-line bg-sunken p-3 text-12 whitespace-pre-wrap wrap-anywhere">
        {error instanceof Error ? error.message : String(error)}
      </pre>
    </div>
  );
}
