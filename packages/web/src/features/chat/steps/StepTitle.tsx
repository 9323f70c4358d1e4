import { useTranslation } from 'react-i18next';
import { useStopwatchText } from '../../../lib/stopwatch-text.ts';
import type { StepLine } from './step-lines.ts';
import { type StepWords, type Verb, wordsOf } from './step-words.ts';
import { aroundSubject, SUBJECT } from './subject-text.ts';

interface StepTitleProps {
  readonly line: StepLine;
  /** How long it took, where that is known. */
  readonly ms: number | undefined;
}

/** "Read 3 files parse.ts, closing.ts, tz.ts", "Ran pnpm test failed". */
export function StepTitle({ line, ms }: StepTitleProps) {
  const { t } = useTranslation();
  const { steps, status, kind } = line;
  const [first] = steps;
  if (!first) return null;
  const words = steps.map(wordsOf);
  return (
    <>
      {steps.length > 1 ? (
        <>
          <span className="flex-none">
            {t(kind === 'read' ? 'chat.steps.readMany' : 'chat.steps.searchedMany', { count: steps.length })}
          </span>
          <span className="min-w-0 truncate text-ink-3">{words.map(shortOf).join(', ')}</span>
        </>
      ) : (
        <OneTitle words={wordsOf(first)} isRunning={status === 'running'} ms={ms} />
      )}
      {status === 'failed' && <b className="flex-none font-medium text-red-ink">{t('chat.steps.failed')}</b>}
    </>
  );
}

interface OneTitleProps {
  readonly words: StepWords;
  readonly isRunning: boolean;
  readonly ms: number | undefined;
}

function OneTitle({ words, isRunning, ms }: OneTitleProps) {
  const { t } = useTranslation();
  const stopwatchText = useStopwatchText();
  switch (words.verb) {
    case 'thought':
      if (isRunning) return <span className="truncate">{t('chat.steps.running.thought')}</span>;
      return (
        <span className="truncate">
          {ms === undefined
            ? t('chat.steps.thought')
            : t('chat.steps.thoughtFor', { time: stopwatchText(ms, ms < 1_000 ? 1 : 0) })}
        </span>
      );
    case 'as_said':
      return (
        <span className={words.isCode ? 'truncate font-mono text-ink' : 'truncate'} title={words.title}>
          {words.title}
        </span>
      );
    default:
      return <Phrase verb={words.verb} isRunning={isRunning} subject={words.subject} full={words.full} />;
  }
}

interface PhraseProps {
  readonly verb: Verb;
  readonly isRunning: boolean;
  readonly subject: string;
  readonly full: string;
}

function Phrase({ verb, isRunning, subject, full }: PhraseProps) {
  const { t } = useTranslation();
  const [before, after] = aroundSubject(
    isRunning
      ? t(`chat.steps.running.${verb}`, { subject: SUBJECT })
      : t(`chat.steps.${verb}`, { subject: SUBJECT }),
  );
  return (
    <span className="flex min-w-0 items-baseline gap-1.5">
      {before.trim() !== '' && <span className="flex-none">{before.trim()}</span>}
      <span className="min-w-0 truncate font-mono text-ink" title={full}>
        {subject}
      </span>
      {after.trim() !== '' && <span className="flex-none">{after.trim()}</span>}
    </span>
  );
}

function shortOf(words: StepWords): string {
  if (words.verb === 'thought') return '';
  return words.verb === 'as_said' ? words.title : words.subject;
}
