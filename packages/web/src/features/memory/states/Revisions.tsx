import type { RevisionPage } from '@aizuchi/shared/contract/memory';
import { useInfiniteQuery } from '@tanstack/react-query';
import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { PhaseLine } from '../../../components/Spinner.tsx';
import { Time } from '../../../components/Time.tsx';
import { joined } from '../../../lib/joined.ts';
import { useNameOf } from '../../../lib/queries/use-name-of.ts';
import { exactTime } from '../../../lib/time.ts';
import { MoreButton } from '../MoreButton.tsx';
import { type MemoryPart, revisionsQuery, useUpdateState } from '../use-memory.ts';
import { readSnapshot, type Snapshot, type TextPart, textChange, undoing } from './revision-change.ts';
import { useReasonText } from './use-reason-text.ts';

type Revision = RevisionPage['revisions'][number];

interface RevisionsProps {
  readonly part: MemoryPart;
  readonly stateId: string;
  /** Whether the reader may undo a change, which is a change again. */
  readonly canRestore?: boolean;
}

/** How a state became what it says: each change with what was there before, who made it and why. */
export function Revisions({ part, stateId, canRestore = false }: RevisionsProps) {
  const { t } = useTranslation();
  const list = useInfiniteQuery(revisionsQuery(part, stateId));
  const revisions = list.data?.pages.flatMap((page) => page.revisions) ?? [];
  if (list.error) return <ErrorNote error={list.error} onRetry={() => void list.refetch()} className="m-2" />;
  if (list.isPending)
    return (
      <div className="px-3 py-2">
        <PhaseLine>{t('common.loading')}</PhaseLine>
      </div>
    );
  return (
    <>
      <ol
        aria-label={t('memoryPage.history')}
        data-testid="memory-revisions"
        className="divide-y divide-line"
      >
        {revisions.map((revision) => (
          <RevisionItem
            key={revision.id}
            revision={revision}
            part={part}
            stateId={stateId}
            canRestore={canRestore}
          />
        ))}
      </ol>
      <MoreButton list={list} testId="memory-revisions-older" />
    </>
  );
}

function RevisionItem({
  revision,
  part,
  stateId,
  canRestore,
}: Required<RevisionsProps> & { readonly revision: Revision }) {
  const { t } = useTranslation();
  const restore = useUpdateState(part, stateId);
  const nameOf = useNameOf();
  const reasonText = useReasonText();
  const { at, madeBy, reason, evidence } = revision;
  const before = readSnapshot(revision.before);
  const after = readSnapshot(revision.after);
  // A person's revision has the person in the place of a reason.
  const why = madeBy === 'person' ? nameOf(reason) : reasonText(reason);
  return (
    <li className="flex flex-col gap-1 py-2">
      <p className="num flex items-baseline justify-between gap-3 px-3 text-12 text-ink-2">
        <span>{t(`memoryPage.madeBy.${madeBy}`)}</span>
        <Time at={at} />
      </p>
      {after && <TextDiff before={before} after={after} />}
      {before && after && <OtherChanges before={before} after={after} />}
      <div className="flex items-center gap-3 px-3">
        <p className="num min-w-0 flex-1 text-12 wrap-anywhere text-ink-2">
          {joined([why, evidence.length > 0 && t('memoryPage.evidence', { count: evidence.length })])}
        </p>
        {canRestore && before && after && (
          <Button
            size="sm"
            variant="quiet"
            isBusy={restore.isPending}
            data-testid="memory-revision-restore"
            onClick={() => restore.mutate(undoing(before, after))}
          >
            {t('memoryPage.restore')}
          </Button>
        )}
      </div>
      {restore.error && <ErrorNote error={restore.error} className="mx-3" />}
    </li>
  );
}

interface ChangeProps {
  readonly before: Snapshot | undefined;
  readonly after: Snapshot;
}

function TextDiff({ before, after }: ChangeProps) {
  const { t } = useTranslation();
  if (before?.bodyText === after.bodyText)
    return <p className="px-3 text-12 text-ink-2">{t('memoryPage.sameText')}</p>;
  const { before: old, after: fresh } = textChange(before?.bodyText ?? '', after.bodyText);
  return (
    <div className="text-13">
      {before && <DiffText kind="del" parts={old} />}
      <DiffText kind="add" parts={fresh} />
    </div>
  );
}

const LINES = {
  del: { sign: '−', row: 'bg-diff-del', mark: 'bg-diff-del-mark', word: 'memoryPage.before' },
  add: { sign: '+', row: 'bg-diff-add', mark: 'bg-diff-add-mark', word: 'memoryPage.after' },
} as const;

function DiffText({ kind, parts }: { readonly kind: 'del' | 'add'; readonly parts: readonly TextPart[] }) {
  const { t } = useTranslation();
  const { sign, row, mark, word } = LINES[kind];
  return (
    <div className={clsx('grid grid-cols-[16px_minmax(0,1fr)] gap-x-2 px-3 py-1', row)}>
      <span className="text-ink-2 select-none">
        <span aria-hidden="true">{sign}</span>
        <span className="sr-only">{t(word)}</span>
      </span>
      <span className="wrap-anywhere whitespace-pre-wrap">
        {parts.map(({ text, isMarked }, index) => (
          <span key={index} className={isMarked ? clsx('rounded-xs', mark) : undefined}>
            {text}
          </span>
        ))}
      </span>
    </div>
  );
}

function OtherChanges({ before, after }: { readonly before: Snapshot; readonly after: Snapshot }) {
  const { t, i18n } = useTranslation();
  const percent = ({ confidence }: Snapshot) => `${Math.round(confidence * 100)} %`;
  const end = ({ validTo }: Snapshot) =>
    validTo === null ? t('memoryPage.noEnd') : exactTime(new Date(validTo), i18n.language);
  const changes = [
    before.confidence !== after.confidence &&
      t('memoryPage.confidenceChange', { before: percent(before), after: percent(after) }),
    before.validTo !== after.validTo && t('memoryPage.endChange', { before: end(before), after: end(after) }),
  ];
  const text = joined(changes);
  return text !== '' && <p className="num px-3 text-12 text-ink-2">{text}</p>;
}
