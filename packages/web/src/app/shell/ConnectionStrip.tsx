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
        // Over the page, which would jump otherwise; on a phone above the bar at its foot.
        <p className="fixed bottom-3 left-1/2 max-sm:bottom-[calc(69px+env(safe-area-inset-bottom))] z-20 flex w-max max-w-[calc(100%-24px)] -translate-x-1/2 items-center gap-2 rounded-md border border-line-strong bg-surface px-3 py-2 text-12 text-ink-2">
          <Spinner />
          {t('app.connection')}
        </p>
      )}
    </div>
  );
}
