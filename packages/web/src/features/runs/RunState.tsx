import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../components/Icon.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { type RunStatus, STATUS_STYLES } from './run-status.ts';

/** The status of a run: an icon and a word. */
export function RunState({ status }: { readonly status: RunStatus }) {
  const { t } = useTranslation();
  const { tone, icon } = STATUS_STYLES[status];
  return (
    <span data-state={status} className={clsx('flex items-center gap-2 whitespace-nowrap', tone)}>
      <span className="flex w-3.5 flex-none justify-center">
        {icon ? (
          <Icon name={icon} size={14} />
        ) : status === 'starting' || status === 'stopping' ? (
          <Spinner />
        ) : (
          <span
            className={clsx('size-1.5 rounded-full bg-current', status === 'running' && 'animate-pulse-slow')}
          />
        )}
      </span>
      {t(`runs.state.${status}`)}
    </span>
  );
}
