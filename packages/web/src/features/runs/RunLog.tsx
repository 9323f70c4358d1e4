import type { Run } from '@aizuchi/shared/contract/run';
import clsx from 'clsx';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { isCode } from '../../lib/api/api-error.ts';
import { LogLines } from './LogLines.tsx';
import { shownLines } from './log-lines.ts';
import { findLines } from './log-search.ts';
import { RunLogHead } from './RunLogHead.tsx';
import { RunPlace } from './RunPlace.tsx';
import { plainTail } from './RunTable.tsx';
import { STATUS_STYLES, statusOf, useEndText } from './run-status.ts';
import { useRunLog } from './use-run-log.ts';

interface RunLogProps {
  readonly run: Run;
  readonly name: string;
  readonly canStop: boolean;
  readonly onClose: () => void;
}

/** The log of a run, live while it runs. For a failed run the reason and its last output are shown above. */
export function RunLog({ run, name, canStop, onClose }: RunLogProps) {
  const { t } = useTranslation();
  const isLive = run.state !== 'exited';
  const { log, isLoaded, isCut, error } = useRunLog(run.id, isLive);
  const lines = useMemo(() => shownLines(log), [log]);
  const [words, setWords] = useState('');
  const [step, setStep] = useState(0);
  const [isWrapped, setIsWrapped] = useState(true);
  const found = useMemo(() => findLines(lines, words), [lines, words]);
  const at = found.length === 0 ? 0 : ((step % found.length) + found.length) % found.length;
  const isElsewhere = isCode(error, 'run_log_not_found');
  return (
    <>
      <RunLogHead
        run={run}
        name={name}
        canStop={canStop}
        onClose={onClose}
        search={{
          words,
          onWords: (next) => {
            setWords(next);
            setStep(0);
          },
          at,
          count: found.length,
          onStep: (by) => setStep(at + by),
        }}
        isWrapped={isWrapped}
        onWrap={() => setIsWrapped(!isWrapped)}
        text={() => lines.map(({ text }) => text).join('\n')}
      />
      <RunPlace run={run} />
      <RunEnd run={run} />
      {isCut && <p className="border-b border-line px-4 py-1.5 text-12 text-ink-2">{t('runs.cut')}</p>}
      {error !== undefined && !isElsewhere && <ErrorNote error={error} className="m-3 flex-none" />}
      {lines.length > 0 ? (
        <LogLines lines={lines} words={words} hit={found[at]} isWrapped={isWrapped} />
      ) : (
        <div className="min-h-0 flex-1 overflow-y-auto p-4">
          {isElsewhere && !isLive ? (
            <EmptyState icon="host" title={t('runs.noLog')} level={3}>
              {run.host ? t('runs.noLogText', { host: run.host, id: run.id }) : t('runs.noLogHere')}
            </EmptyState>
          ) : (
            <p className="text-12 text-ink-3">
              {t(!isLoaded ? 'common.loading' : isLive ? 'runs.quietYet' : 'runs.quiet')}
            </p>
          )}
        </div>
      )}
    </>
  );
}

/** How the run ended, what to do, and its last output. */
function RunEnd({ run }: { readonly run: Run }) {
  const { t } = useTranslation();
  const text = useEndText()(run);
  const status = statusOf(run);
  const { isFailure, tone } = STATUS_STYLES[status];
  const tail = isFailure ? plainTail(run.stderrTail) : '';
  if (text === null) return null;
  return (
    <section
      aria-label={t('runs.outcome')}
      data-testid="run-outcome"
      className={clsx(
        'max-h-[45%] flex-none overflow-y-auto border-b px-4 py-2 text-13',
        !isFailure && 'border-line text-ink-2',
        isFailure && tone === 'text-red-ink' && 'border-red-line bg-red-soft text-red-ink',
        isFailure && tone !== 'text-red-ink' && 'border-amber-line bg-amber-soft text-amber-ink',
      )}
    >
      <p className="text-pretty wrap-anywhere">
        <b className="block font-medium">{text.what}</b>
        {text.remedy}
      </p>
      {tail !== '' && (
        <>
          <p className="mt-2 text-12">{t('runs.lastWords')}</p>
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by keyboard.
            tabIndex={0}
            className="mt-1 max-h-32 overflow-auto rounded-sm border border-red-line bg-surface px-2 py-1.5 font-mono text-12 leading-5 whitespace-pre-wrap wrap-anywhere"
          >
            {tail}
          </pre>
        </>
      )}
    </section>
  );
}
