import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { KeyCap } from '../../../components/KeyCap.tsx';
import { PhaseLine } from '../../../components/Spinner.tsx';
import { ApiError } from '../../../lib/api/api-error.ts';
import { useErrorText } from '../../../lib/error-text.ts';
import { FolderRows } from './FolderRows.tsx';
import { FolderWay } from './FolderWay.tsx';
import { useFolders } from './use-folders.ts';

export interface FolderPickerProps {
  /** The button that opens it names this in `aria-controls`. */
  readonly id: string;
  /** What was written; empty: it begins with the allowed places. */
  readonly from: string;
  readonly projectId?: string | undefined;
  readonly onUse: (path: string) => void;
}

/** The folders that may be used, step by step, by pointer and by keys. */
export function FolderPicker({ id, from, projectId, onUse }: FolderPickerProps) {
  const { t } = useTranslation();
  const { query, open, openPlaces } = useFolders(from, projectId);
  const { data: list, error } = query;
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    // Some browsers return a promise, which is no clean-up.
    box.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  const above = list?.trail.at(-2)?.path;
  const up = list?.path === undefined ? undefined : () => (above === undefined ? openPlaces() : open(above));
  return (
    <section
      ref={box}
      id={id}
      aria-label={t('folders.label')}
      aria-busy={query.isPlaceholderData}
      data-testid="folder-picker"
      className="flex flex-col overflow-hidden rounded-md border border-line-strong"
    >
      {error && (
        <div className="flex flex-col items-start gap-2 p-2">
          <ErrorNote error={error} onRetry={() => void query.refetch()} className="self-stretch" />
          <Button size="sm" onClick={openPlaces}>
            {t('folders.places')}
          </Button>
        </div>
      )}
      {query.isPending && !error && (
        <div className="p-2">
          <PhaseLine>{t('common.loading')}</PhaseLine>
        </div>
      )}
      {list && !error && (
        <>
          <FolderWay trail={list.trail} onOpen={open} onOpenPlaces={openPlaces} />
          <FolderRows key={list.path ?? ''} list={list} onOpen={open} onUp={up} />
          <footer className="flex flex-col gap-2 border-t border-line p-2 text-12 text-ink-2">
            {list.isCut && <p>{t('folders.isCut')}</p>}
            {list.leftOut > 0 && <p>{t('folders.leftOut', { count: list.leftOut })}</p>}
            <Keys />
            {list.path !== undefined && <UseFolder path={list.path} refusal={list.refusal} onUse={onUse} />}
          </footer>
        </>
      )}
    </section>
  );
}

interface UseFolderProps {
  readonly path: string;
  readonly refusal:
    | {
        readonly code: 'working_directory_not_allowed' | 'working_directory_in_use';
        readonly reason?: string | undefined;
      }
    | undefined;
  readonly onUse: (path: string) => void;
}

function UseFolder({ path, refusal, onUse }: UseFolderProps) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  return (
    <div className="flex flex-wrap items-center justify-end gap-2">
      <p className="min-w-40 flex-1">
        {refusal
          ? errorText(new ApiError(refusal.code, '', { details: { reason: refusal.reason } }))
          : t('folders.newOne')}
      </p>
      <Button
        size="sm"
        icon="check"
        disabled={refusal !== undefined}
        data-testid="folder-use"
        onClick={() => onUse(path)}
      >
        {t('folders.use')}
      </Button>
    </div>
  );
}

function Keys() {
  const { t } = useTranslation();
  return (
    <p className="flex flex-wrap items-center gap-x-1.5 gap-y-1 text-ink-3 pointer-coarse:hidden">
      <KeyCap>↑</KeyCap>
      <KeyCap>↓</KeyCap>
      <span className="mr-2">{t('folders.keys.move')}</span>
      <KeyCap>→</KeyCap>
      <span className="mr-2">{t('folders.keys.open')}</span>
      <KeyCap>←</KeyCap>
      <span>{t('folders.keys.up')}</span>
    </p>
  );
}
