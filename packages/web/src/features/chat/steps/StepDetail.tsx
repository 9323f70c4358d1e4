import type { Step } from '@aizuchi/shared/contract/step';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Spinner } from '../../../components/Spinner.tsx';
import { DiffView } from './lazy-diff.ts';
import { withoutAnsi } from './output-text.ts';
import type { StepLine } from './step-lines.ts';

/** True if there is more than the line says. */
export function hasDetail({ steps }: StepLine): boolean {
  return steps.length > 1 || steps.some(({ detail, diff }) => detail?.trim() || diff);
}

/** What a line unfolds: the diff, the output, or each of the steps that share the line. */
export function StepDetail({ line: { steps } }: { readonly line: StepLine }) {
  const [only] = steps;
  if (steps.length === 1 && only) return <OneDetail step={only} />;
  return (
    <ul className="flex flex-col gap-1">
      {steps.map((step) => (
        <li key={step.id} className="flex flex-col gap-1">
          <span className="font-mono text-12 text-ink-2 wrap-anywhere">{step.title}</span>
          <OneDetail step={step} />
        </li>
      ))}
    </ul>
  );
}

function OneDetail({ step }: { readonly step: Step }) {
  const { t } = useTranslation();
  const { detail, diff, title, cut, kind } = step;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      {diff && (
        <Suspense fallback={<Spinner />}>
          <DiffView diff={diff} />
        </Suspense>
      )}
      {detail?.trim() && (
        <Output label={t('chat.steps.outputOf', { title })} text={detail} isProse={kind === 'thought'} />
      )}
      {cut && cut.length > 0 && <p className="text-11 text-ink-3">{t('chat.steps.cut')}</p>}
    </div>
  );
}

interface OutputProps {
  readonly label: string;
  readonly text: string;
  /** Words rather than the output of a program. */
  readonly isProse: boolean;
}

/** At most some lines, the rest scrolls. */
function Output({ label, text, isProse }: OutputProps) {
  if (isProse)
    return <p className="others-text text-12 whitespace-pre-wrap text-ink-2 wrap-anywhere">{text.trim()}</p>;
  return (
    <figure
      // biome-ignore lint/a11y/noNoninteractiveTabindex: long output is scrolled by keyboard, too.
      tabIndex={0}
      aria-label={label}
      className="max-h-50 overflow-auto rounded-sm border border-line bg-canvas -outline-offset-2"
    >
      <pre className="px-2.5 py-1 font-mono text-12 leading-5 whitespace-pre-wrap text-ink wrap-anywhere">
        {withoutAnsi(text).trimEnd()}
      </pre>
    </figure>
  );
}
