import type { Run } from '@aizuchi/shared/contract/run';
import { Link } from '@tanstack/react-router';
import clsx from 'clsx';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../components/Avatar.tsx';
import { Time } from '../../components/Time.tsx';
import { useNow } from '../../lib/time.ts';
import { ChangesLink } from '../changes/ChangesLink.tsx';
import { plainText } from './log-lines.ts';
import { RunState } from './RunState.tsx';
import { repeatsNewer } from './repeated-failure.ts';
import { lastLines, STATUS_STYLES, statusOf, useDuration, useEndText } from './run-status.ts';

interface RunTableProps {
  readonly runs: readonly Run[];
  readonly openId: string | undefined;
  readonly nameOf: (agentId: string) => string;
  readonly taskTitleOf: (taskId: string) => string | undefined;
  /** The run's agent is idle and waits for work. */
  readonly isWarm: (run: Run) => boolean;
}

/** Columns that are hidden first when there is less room; a phone shows agent, state, start and duration. */
const WIDE_ONLY = 'hidden @3xl:table-cell';
const LAST_ON_PHONE = '@max-3xl:pr-4!';
const ROOMY_ONLY = 'hidden @5xl:table-cell';

export function RunTable({ runs, openId, nameOf, taskTitleOf, isWarm }: RunTableProps) {
  const { t } = useTranslation();
  return (
    <table className="w-full border-collapse border-b border-line text-13">
      <caption className="sr-only">{t('runs.title')}</caption>
      <thead className="sticky top-0 z-10 bg-canvas text-12 text-ink-2">
        <tr className="h-8 [&>th]:px-2 [&>th]:font-normal [&>th]:whitespace-nowrap [&>th:first-child]:pl-4 [&>th:last-child]:pr-4">
          <th className="text-left">{t('runs.agent')}</th>
          <th className="text-left">{t('runs.stateLabel')}</th>
          <th className={clsx('text-left', WIDE_ONLY)}>{t('runs.purpose')}</th>
          <th className={clsx('text-left', ROOMY_ONLY)}>{t('runs.host')}</th>
          <th className="text-right">{t('runs.started')}</th>
          <th className={clsx('text-right', LAST_ON_PHONE)}>{t('runs.duration')}</th>
          <th className={clsx('text-right', WIDE_ONLY)}>{t('runs.exit')}</th>
          <th className={clsx('pl-4! text-left', ROOMY_ONLY)}>{t('runs.run')}</th>
        </tr>
      </thead>
      {runs.map((run, index) => (
        <RunRow
          key={run.id}
          run={run}
          isOpen={run.id === openId}
          name={nameOf(run.agentId)}
          taskTitle={run.taskId === undefined ? undefined : taskTitleOf(run.taskId)}
          isWarm={isWarm(run)}
          isRepeated={repeatsNewer(runs, index)}
        />
      ))}
    </table>
  );
}

interface RunRowProps {
  readonly run: Run;
  readonly isOpen: boolean;
  readonly name: string;
  readonly taskTitle: string | undefined;
  readonly isWarm: boolean;
  /** The same failure is already shown above. */
  readonly isRepeated: boolean;
}

function RunRow({ run, isOpen, name, taskTitle, isWarm, isRepeated }: RunRowProps) {
  const { t } = useTranslation();
  const status = statusOf(run, isWarm);
  const row = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    if (isOpen) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isOpen]);
  return (
    <tbody data-testid={`run-${run.id}`} className="border-t border-line">
      <tr
        ref={row}
        className={clsx(
          'relative h-9 scroll-mt-9 [&>td]:px-2 [&>td:first-child]:pl-4 [&>td:last-child]:pr-4',
          isOpen ? 'bg-accent-soft' : 'hover:bg-hover',
        )}
      >
        {/* On a phone the name takes what the others leave, so that the table is not wider than the screen. */}
        <td className="w-full max-w-0 @lg:w-auto @lg:max-w-60">
          <Link
            to="."
            search={({ run: _run, ...search }) => (isOpen ? search : { ...search, run: run.id })}
            aria-current={isOpen ? 'true' : undefined}
            className="flex min-w-0 items-center gap-2 after:absolute after:inset-0 after:content-[''] focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
          >
            <Avatar name={name} type="ai" size={20} className="max-sm:hidden" />
            <span className="truncate">{name}</span>
            <span className="sr-only">{t('runs.log')}</span>
          </Link>
        </td>
        <td>
          <RunState status={status} />
        </td>
        <td className={clsx('max-w-60 text-ink-2', WIDE_ONLY)}>
          <span className="flex min-w-0 items-center gap-2">
            <span className="truncate">
              {run.purpose === 'task'
                ? t('runs.forTask', { title: taskTitle ?? run.taskId ?? '' })
                : t('runs.forChat')}
            </span>
            {run.changes && <ChangesLink run={run} changes={run.changes} />}
          </span>
        </td>
        <td className={clsx('max-w-40 text-ink-2', ROOMY_ONLY)}>
          <span className="block truncate">{run.node ?? run.host ?? run.coordinatorId ?? '–'}</span>
        </td>
        <td className="num text-right whitespace-nowrap text-ink-2">
          <Time at={run.startedAt} />
        </td>
        <td className={clsx('num text-right whitespace-nowrap', LAST_ON_PHONE)}>
          {run.state === 'exited' ? <Duration run={run} /> : <LiveDuration run={run} />}
        </td>
        <td className={clsx('num text-right whitespace-nowrap text-ink-2', WIDE_ONLY)}>
          {run.signal ?? run.exitCode ?? '–'}
        </td>
        <td className={clsx('pl-4! font-mono text-12 whitespace-nowrap text-ink-3', ROOMY_ONLY)}>
          {run.id.slice(0, 12)}
        </td>
      </tr>
      {STATUS_STYLES[status].isFailure && !isRepeated && <FailureRow run={run} />}
    </tbody>
  );
}

/** What went wrong, what to do, and the last output of the process. */
function FailureRow({ run }: { readonly run: Run }) {
  const text = useEndText()(run);
  const tail = lastLines(plainTail(run.stderrTail), 3);
  if (text === null && tail === '') return null;
  const isRed = STATUS_STYLES[statusOf(run)].tone === 'text-red-ink';
  return (
    <tr>
      <td colSpan={8} className="px-4 pb-3 @lg:pl-11">
        <div
          className={clsx(
            'rounded-sm border px-3 py-2 text-12 wrap-anywhere',
            isRed
              ? 'border-red-line bg-red-soft text-red-ink'
              : 'border-amber-line bg-amber-soft text-amber-ink',
          )}
        >
          {text && (
            <p className="text-pretty">
              <span className="block">{text.what}</span>
              {text.remedy}
            </p>
          )}
          {tail !== '' && <Tail>{tail}</Tail>}
        </div>
      </td>
    </tr>
  );
}

function Tail({ children }: { readonly children: ReactNode }) {
  return <code className="mt-1 line-clamp-2 block font-mono text-12 whitespace-pre-wrap">{children}</code>;
}

export function plainTail(stderrTail: string | undefined): string {
  return (stderrTail ?? '').split('\n').map(plainText).join('\n').trim();
}

function Duration({ run }: { readonly run: Run }) {
  return useDuration()(run, new Date(0));
}

export function LiveDuration({ run }: { readonly run: Run }) {
  return useDuration()(run, useNow(1_000));
}
