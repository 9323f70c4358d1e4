import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { useStopwatchText } from '../../../lib/stopwatch-text.ts';
import { useNow } from '../../../lib/time.ts';
import { START_STEPS, type StartStep, type StepTimes, stepMs } from './start-steps.ts';

/** The phase of the start, with the seconds of each step. */
export function StartSteps({ step, times }: { readonly step: StartStep; readonly times: StepTimes }) {
  const { t } = useTranslation();
  const now = useNow(100).getTime();
  const stopwatchText = useStopwatchText();
  const current = START_STEPS.indexOf(step);
  return (
    <ol
      aria-label={t('chat.stepsLabel')}
      data-testid="chat-start-steps"
      className="grid flex-none grid-cols-4 gap-1 border-b border-line bg-canvas px-4.5 pt-3 pb-2.5"
    >
      {START_STEPS.map((one, index) => {
        const ms = stepMs(times, one, now);
        return (
          <li
            key={one}
            data-step={one}
            aria-current={index === current ? 'step' : undefined}
            className={clsx(
              'flex flex-col text-11',
              index === current ? 'font-medium text-ink' : index < current ? 'text-ink-2' : 'text-ink-3',
            )}
          >
            <span aria-hidden="true" className="mb-1.5 h-0.5 overflow-hidden rounded-full bg-line-strong">
              <span
                className={clsx(
                  'block h-full bg-accent',
                  index < current ? 'w-full' : index === current ? 'w-2/5' : 'w-0',
                )}
              />
            </span>
            {t(`chat.step.${one}`)}
            <span className="num">{ms === undefined ? '–' : stopwatchText(ms)}</span>
          </li>
        );
      })}
    </ol>
  );
}
