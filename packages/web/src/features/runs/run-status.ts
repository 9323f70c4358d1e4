import type { Run } from '@aizuchi/shared/contract/run';
import { type RunEndText, runEndText } from '@aizuchi/shared/platform/texts/run-texts';
import { useTranslation } from 'react-i18next';
import type { IconName } from '../../components/icon-paths.ts';
import { toLocale } from '../../lib/i18n.ts';
import { useStopwatchText } from '../../lib/stopwatch-text.ts';

/** The status of a run as the list shows it. */
export type RunStatus =
  | 'starting'
  | 'running'
  | 'warm'
  | 'stopping'
  | 'finished'
  | 'stopped'
  | 'timed_out'
  | 'crashed'
  | 'could_not_start'
  | 'stalled'
  | 'lost';

/** `isWarm`: its agent has nothing to do and waits for the next message. */
export function statusOf(
  { state, exitCause, stopReason }: Pick<Run, 'state' | 'exitCause' | 'stopReason'>,
  isWarm = false,
): RunStatus {
  if (state !== 'exited') return state === 'running' && isWarm ? 'warm' : state;
  if (exitCause === 'killed') return stopReason === 'timeout' ? 'timed_out' : 'stopped';
  return exitCause ?? 'stopped';
}

export const STATUS_STYLES: Readonly<
  Record<RunStatus, { readonly tone: string; readonly icon?: IconName; readonly isFailure?: true }>
> = {
  starting: { tone: 'text-ink-2' },
  running: { tone: 'text-accent-ink' },
  warm: { tone: 'text-green-ink' },
  stopping: { tone: 'text-ink-2' },
  finished: { tone: 'text-ink-2', icon: 'check' },
  stopped: { tone: 'text-ink-2', icon: 'stop' },
  timed_out: { tone: 'text-red-ink', icon: 'warning', isFailure: true },
  crashed: { tone: 'text-red-ink', icon: 'warning', isFailure: true },
  could_not_start: { tone: 'text-red-ink', icon: 'warning', isFailure: true },
  stalled: { tone: 'text-amber-ink', icon: 'clock', isFailure: true },
  lost: { tone: 'text-amber-ink', icon: 'link', isFailure: true },
};

/** How the run ended and what to do, in the reader's language; null while it is live. */
export function useEndText(): (run: Run) => RunEndText | null {
  const { i18n } = useTranslation();
  return (run) => runEndText(toLocale(i18n.language), run);
}

/** "2.1 s", "4:12". */
export function useDuration(): (run: Pick<Run, 'startedAt' | 'endedAt'>, now: Date) => string {
  const stopwatchText = useStopwatchText();
  return ({ startedAt, endedAt }, now) => {
    const ms = (endedAt === undefined ? now.getTime() : Date.parse(endedAt)) - Date.parse(startedAt);
    return stopwatchText(ms);
  };
}

/** The last lines of the output: enough to know what went wrong. */
export function lastLines(stderrTail: string, count: number): string {
  return stderrTail.trimEnd().split('\n').slice(-count).join('\n');
}
