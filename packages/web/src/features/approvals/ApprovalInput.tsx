import type { Approval } from '@aizuchi/shared/contract/approval';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../components/Button.tsx';
import { Revealed } from '../../components/Revealed.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { DiffView } from '../chat/steps/lazy-diff.ts';
import { type FileEdit, type InputRest, jsonOf, viewOf } from './approval-input.ts';

/** A text with more lines than this is folded. */
const SHOWN_LINES = 12;
/** So many edits are shown at first, and so many more with each press. */
const SHOWN_EDITS = 8;

/** What would be done: the command, the diff, or the input as JSON. */
export function ApprovalInput({ approval }: { readonly approval: Pick<Approval, 'kind' | 'input'> }) {
  const { t } = useTranslation();
  // Kept as one value: the diff is compared again for each new one.
  const [view] = useState(() => viewOf(approval));
  if (view.kind === 'json') return <CodeText text={view.json} label={t('approvals.inputOf')} />;
  return (
    <>
      {view.kind === 'command' ? (
        <CodeText text={view.command} label={t('approvals.inputOf')} />
      ) : (
        <EditList edits={view.edits} />
      )}
      {view.rest && <Rest rest={view.rest} />}
    </>
  );
}

/** Folded only if nothing in it can change what will be done. */
function Rest({ rest: { values, isHarmless, contradictory } }: { readonly rest: InputRest }) {
  const { t } = useTranslation();
  const text = <CodeText text={jsonOf(values)} label={t('approvals.moreInput')} />;
  if (isHarmless)
    return (
      <details className="px-1 text-12 text-ink-2">
        <summary className="cursor-pointer hover:text-ink pointer-coarse:py-1.5">
          {t('approvals.moreInput')}
        </summary>
        <div className="pt-1">{text}</div>
      </details>
    );
  return (
    <div className="flex min-w-0 flex-col gap-1 text-12 text-ink-2" data-testid="approval-more-input">
      {contradictory.length > 0 && (
        <p className="px-1 font-medium text-amber-ink wrap-anywhere">
          {t('approvals.contradictory', { fields: contradictory.join(', ') })}
        </p>
      )}
      <p className="px-1">{t('approvals.moreInputShown')}</p>
      {text}
    </div>
  );
}

function EditList({ edits }: { readonly edits: readonly FileEdit[] }) {
  const { t } = useTranslation();
  const [shown, setShown] = useState(SHOWN_EDITS);
  const left = edits.length - shown;
  return (
    <>
      {edits.slice(0, shown).map((edit, index) => (
        <EditText key={index} edit={edit} />
      ))}
      {left > 0 && (
        <Button size="sm" variant="quiet" icon="arrowDown" onClick={() => setShown(shown + SHOWN_EDITS)}>
          {t('approvals.moreEdits', { count: left })}
        </Button>
      )}
    </>
  );
}

function EditText({ edit }: { readonly edit: FileEdit }) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <p className="px-1 font-mono text-12 wrap-anywhere">
        <Revealed text={edit.path} />
      </p>
      <Suspense fallback={<Spinner />}>
        <DiffView diff={edit} />
      </Suspense>
    </div>
  );
}

/** Never cut without saying so: what is folded says how much it is. */
function CodeText({ text, label }: { readonly text: string; readonly label: string }) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  const lines = text.split('\n');
  const isLong = lines.length > SHOWN_LINES;
  const shown = isLong && !isOpen ? lines.slice(0, SHOWN_LINES).join('\n') : text;
  return (
    <div className="min-w-0 rounded-sm border border-amber-line bg-surface">
      <figure
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled by keyboard, too.
        tabIndex={0}
        aria-label={label}
        className="max-h-100 overflow-auto rounded-sm -outline-offset-2"
      >
        <pre className="px-2.5 py-1.5 font-mono text-12 leading-5 whitespace-pre-wrap wrap-anywhere">
          <Revealed text={shown} />
        </pre>
      </figure>
      {isLong && (
        <Button
          size="sm"
          variant="quiet"
          icon={isOpen ? 'arrowUp' : 'arrowDown'}
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
        >
          {isOpen ? t('approvals.fold') : t('approvals.showAll', { count: lines.length })}
        </Button>
      )}
    </div>
  );
}
