import { useTranslation } from 'react-i18next';
import { Spinner } from '../../components/Spinner.tsx';
import { useLiveStatus } from '../../lib/live/live.tsx';
import { useNow } from '../../lib/time.ts';

/** A restart of the server takes less time than this and is not reported. */
const QUIET_MS = 1_500;

export function ConnectionStrip() {
  const { t } = useTranslation();
  const { state, since } = useLiveStatus();
  const now = useNow(1_000);
  const isAway = (state === 'down' || state === 'connecting') && now.getTime() - since > QUIET_MS;
  return (
    <div role="status" aria-live="polite">
      {isAway && (
        <p className="flex items-center gap-2 border-b border-line bg-canvas px-4 py-2 text-12 text-ink-2">
          <Spinner />
          {t('app.connection')}
        </p>
      )}
    </div>
  );
}
