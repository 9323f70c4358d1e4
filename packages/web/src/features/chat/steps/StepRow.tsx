import type { Step } from '@aizuchi/shared/contract/step';
import clsx from 'clsx';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../../components/Icon.tsx';
import type { IconName } from '../../../components/icon-paths.ts';
import { Spinner } from '../../../components/Spinner.tsx';
import { useKeepInPlace } from '../list/keep-in-place.ts';

export const STEP_ICONS: Readonly<Record<Step['kind'], IconName>> = {
  thought: 'bulb',
  tool: 'gear',
  command: 'terminal',
  read: 'file',
  edit: 'edit',
  search: 'search',
  other: 'more',
};

interface StepRowProps {
  /** Undefined: it is running. */
  readonly icon: IconName | undefined;
  readonly isFailed?: boolean;
  readonly title: ReactNode;
  readonly time: ReactNode;
  /** What opens below the line; undefined: nothing can be opened. */
  readonly children: (() => ReactNode) | undefined;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly testId?: string;
}

const ROW =
  'num relative grid h-6 w-full grid-cols-[14px_minmax(0,1fr)_auto_12px] items-center gap-2 rounded-sm text-left text-12 text-ink-2 pointer-coarse:h-8';

/** One line of steps, 24 px high, on the hairline of its list. */
export function StepRow(props: StepRowProps) {
  const { icon, isFailed = false, title, time, children, isOpen, onToggle, testId } = props;
  const { t } = useTranslation();
  const panelId = useId();
  const keepInPlace = useKeepInPlace();
  const cells = (
    <>
      <span className="grid h-4 place-items-center bg-surface">
        {icon === undefined ? (
          <Spinner />
        ) : (
          <Icon name={icon} size={14} className={isFailed ? 'text-red-ink' : 'text-ink-3'} />
        )}
      </span>
      <span className={clsx('flex min-w-0 items-center gap-1.5', icon === undefined && 'text-ink')}>
        {title}
        {icon === undefined && <span className="sr-only">{t('chat.steps.runs')}</span>}
      </span>
      <span className="flex-none">{time}</span>
    </>
  );
  if (!children)
    return (
      <div className={ROW} data-testid={testId}>
        {cells}
      </div>
    );
  return (
    <>
      <button
        type="button"
        data-testid={testId}
        aria-expanded={isOpen}
        {...(isOpen && { 'aria-controls': panelId })}
        onClick={(event) => {
          keepInPlace(event.currentTarget);
          onToggle();
        }}
        className={clsx(ROW, 'hover:text-ink')}
      >
        {cells}
        <Icon
          name="chevronRight"
          size={12}
          className={clsx('text-ink-3 transition-transform duration-100', isOpen && 'rotate-90')}
        />
      </button>
      {isOpen && (
        <div id={panelId} className="mt-1 mb-1 ml-5.5 min-w-0">
          {children()}
        </div>
      )}
    </>
  );
}
