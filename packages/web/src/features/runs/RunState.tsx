import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../components/Icon.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { type RunStatus, STATUS_STYLES } from './run-status.ts';

/** The status of a run: an icon and a word. */
export function RunState({ look }: { readonly look: RunStatus }) {
  const { t } = useTranslation();
  const { tone, icon } = STATUS_STYLES[look];
  return (
    <span data-state={look} className={clsx('flex items-center gap-2 whitespace-nowrap', tone)}>
      <span className="flex w-3.5 flex-none justify-center">
        {icon ? (
          <Icon name={icon} size={14} />
        ) : look === 'starting' || look === 'stopping' ? (
          <Spinner />
        ) : (
          <span
            className={clsx('size-1.5 rounded-full bg-current', look === 'running' && 'animate-pulse-slow')}
          />
        )}
      </span>
      {t(`runs.state.${look}`)}
    </span>
  );
}
