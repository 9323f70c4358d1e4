import type { Step } from '@aizuchi/shared/contract/step';
import clsx from 'clsx';
import { type ComponentProps, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { Revealed } from '../../../components/Revealed.tsx';
import { type DiffLine, diffLines, type FileDiff, patchLines } from './diff-lines.ts';
import { portionOf } from './diff-portions.ts';

type Diff = Pick<NonNullable<Step['diff']>, 'path' | 'before' | 'after'>;

const compared = new WeakMap<Diff, FileDiff>();

/** Compared once for the line, its count and the summary. */
function comparedOf(diff: Diff): FileDiff {
  const known = compared.get(diff) ?? diffLines(diff.before, diff.after);
  compared.set(diff, known);
  return known;
}

/** "+4 −1" */
export function DiffCount({ diffs }: { readonly diffs: readonly Diff[] }) {
  const { t } = useTranslation();
  const sums = diffs.map(comparedOf);
  const added = sums.reduce((sum, one) => sum + one.added, 0);
  const removed = sums.reduce((sum, one) => sum + one.removed, 0);
  return (
    <span className="num inline-flex flex-none gap-1.5 font-mono text-12 font-medium">
      {added > 0 && (
        <span className="text-green-ink">
          <span className="sr-only">{t('chat.steps.added')} </span>+{added}
        </span>
      )}
      {removed > 0 && (
        <span className="text-red-ink">
          <span className="sr-only">{t('chat.steps.removed')} </span>−{removed}
        </span>
      )}
    </span>
  );
}

/** A diff as git writes it. */
export function PatchView({ path, patch }: { readonly path: string; readonly patch: string }) {
  const { lines } = useMemo(() => patchLines(patch), [patch]);
  return <DiffLines path={path} lines={lines} />;
}

const SIGNS = { same: '', add: '+', del: '−' } as const;
const ROWS = { same: '', add: 'bg-diff-add', del: 'bg-diff-del' } as const;
const MARKS = { same: '', add: 'rounded-xs bg-diff-add-mark', del: 'rounded-xs bg-diff-del-mark' } as const;

/** The changed lines with their numbers; long ones scroll. */
export function DiffView({ diff }: { readonly diff: Diff }) {
  return (
    <DiffLines
      path={diff.path}
      lines={comparedOf(diff).lines}
      data-testid="step-diff"
      className="max-h-75 rounded-sm border border-line bg-canvas"
    />
  );
}

interface DiffLinesProps extends ComponentProps<'div'> {
  readonly path: string;
  readonly lines: readonly DiffLine[];
}

/** Lines of a diff: a first part, and more of them with each press. */
function DiffLines({ path, lines, className, ...rest }: DiffLinesProps) {
  const { t } = useTranslation();
  const [presses, setPresses] = useState(0);
  const { shown, left, next, cut } = portionOf(lines, presses);
  return (
    <div {...rest} className={clsx('flex min-w-0 flex-col', className)}>
      <figure
        // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by keyboard, too.
        tabIndex={0}
        aria-label={t('chat.steps.diffOf', { path })}
        className="min-h-0 overflow-auto py-[3px] font-mono text-12 leading-5 -outline-offset-2"
      >
        <div className="w-max min-w-full">
          {shown.map((line, index) => (
            <Line key={index} line={line} />
          ))}
        </div>
      </figure>
      {(left > 0 || cut > 0) && (
        <div className="flex flex-none flex-wrap items-center gap-x-2 border-t border-line text-12 text-ink-2">
          {left > 0 && (
            <Button
              size="sm"
              variant="quiet"
              icon="arrowDown"
              data-testid="diff-more"
              onClick={() => setPresses(presses + 1)}
            >
              {next < left
                ? t('chat.steps.moreLinesOf', { count: next, left })
                : t('chat.steps.moreLines', { count: left })}
            </Button>
          )}
          {cut > 0 && <p className="px-2 py-1 text-amber-ink">{t('chat.steps.cutLines', { count: cut })}</p>}
        </div>
      )}
    </div>
  );
}

function Line({ line }: { readonly line: DiffLine }) {
  const { t } = useTranslation();
  if (line.kind === 'cut') return null;
  if (line.kind === 'gap')
    return (
      <div className="my-0.5 border-y border-line bg-sunken pl-8 text-ink-3">
        <span aria-hidden="true">⋯</span>
        <span className="sr-only">{t('chat.steps.skipped')}</span>
      </div>
    );
  const { kind, number, parts } = line;
  return (
    <div className={clsx('grid min-h-5 grid-cols-[32px_16px_auto]', ROWS[kind])}>
      <span
        className={clsx('num pr-2 text-right select-none', kind === 'same' ? 'text-ink-3' : 'text-ink-2')}
      >
        {number}
      </span>
      <span className="text-ink-2 select-none">
        <span aria-hidden="true">{SIGNS[kind]}</span>
        {kind !== 'same' && (
          <span className="sr-only">{t(kind === 'add' ? 'chat.steps.added' : 'chat.steps.removed')}</span>
        )}
      </span>
      <span className="pr-2 whitespace-pre">
        {parts.map(({ text, isMarked }, index) =>
          isMarked ? (
            <span key={index} className={MARKS[kind]}>
              <Revealed text={text} />
            </span>
          ) : (
            <Revealed key={index} text={text} />
          ),
        )}
      </span>
    </div>
  );
}
