import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { IconButton } from '../../../../components/Button.tsx';
import { Spinner } from '../../../../components/Spinner.tsx';
import { Time } from '../../../../components/Time.tsx';
import { joined } from '../../../../lib/joined.ts';
import { hostProgramsQuery, isLooking } from './host-programs-query.ts';

/** Which hosts were looked at, and when; a click looks again. */
export function LookedAt() {
  const { t } = useTranslation();
  const { data, isFetching, refetch } = useQuery(hostProgramsQuery());
  if (!data || data.hosts.length === 0) return null;
  const seen = data.hosts.flatMap(({ host, seenAt }) => (seenAt === null ? [] : [{ host, seenAt }]));
  const oldest = seen.map(({ seenAt }) => seenAt).sort()[0];
  const isBusy = isLooking(data) || isFetching;
  return (
    <span className="flex min-w-0 items-center gap-1.5 text-12 text-ink-3">
      {oldest !== undefined && (
        <span className="num min-w-0 text-right text-pretty">
          {t('settings.programs.looked', {
            hosts: joined(
              seen.map(({ host }) => host),
              ', ',
            ),
          })}{' '}
          · <Time at={oldest} format="clock" />
        </span>
      )}
      {isBusy ? (
        <span className="grid size-6 flex-none place-items-center pointer-coarse:size-9">
          <Spinner />
        </span>
      ) : (
        <IconButton
          icon="retry"
          label={t('settings.programs.look')}
          data-testid="programs-look"
          onClick={() => void refetch()}
        />
      )}
    </span>
  );
}
