import type { ChangedFile } from '@aizuchi/shared/contract/changes';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Chip } from '../../components/Chip.tsx';
import { Revealed } from '../../components/Revealed.tsx';
import { PatchView } from '../chat/steps/lazy-diff.ts';
import { ChangeCount } from './ChangeCount.tsx';
import { splitPath } from './file-groups.ts';

interface FileCardProps {
  readonly file: ChangedFile;
  readonly anchor: string;
  readonly isInConflict: boolean;
}

/** One file with its diff; it can be folded. */
export function FileCard({ file, anchor, isInConflict }: FileCardProps) {
  const { t } = useTranslation();
  const { folder, name } = splitPath(file.path);
  return (
    <details
      open
      id={anchor}
      data-testid={anchor}
      className="group min-w-0 scroll-mt-2 overflow-hidden rounded-md border border-line bg-surface"
    >
      <summary className="flex min-h-9 flex-wrap items-center gap-x-2.5 gap-y-1 px-3 py-1.5 text-13 group-open:border-b group-open:border-line">
        <span className="font-mono text-12 font-semibold wrap-anywhere">
          <Revealed text={name} />
        </span>
        {folder !== '' && (
          <span className="font-mono text-12 text-ink-3 wrap-anywhere">
            <Revealed text={folder} />
          </span>
        )}
        {file.oldPath !== undefined && (
          <span className="text-12 text-ink-3 wrap-anywhere">
            {t('changes.from', { path: file.oldPath })}
          </span>
        )}
        <ChangeCount {...file} />
        {file.status !== 'modified' && <Chip>{t(`changes.status.${file.status}`)}</Chip>}
        {isInConflict && <Chip tone="amber">{t('changes.overlap')}</Chip>}
      </summary>
      <FileBody file={file} />
    </details>
  );
}

/** The diff of a file, or why there is none. */
export function FileBody({ file }: { readonly file: ChangedFile }) {
  const { t } = useTranslation();
  const said = (text: string) => <p className="px-3 py-2 text-12 text-ink-2">{text}</p>;
  if (file.isBinary) return said(t('changes.binary'));
  if (file.diff === undefined) return said(t(file.isCut ? 'changes.tooLarge' : 'changes.noDiff'));
  return (
    <>
      <Suspense fallback={null}>
        <PatchView path={file.path} patch={file.diff} />
      </Suspense>
      {file.isCut && said(t('changes.cut'))}
    </>
  );
}
