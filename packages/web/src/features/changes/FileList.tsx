import type { ChangedFile, Changes } from '@aizuchi/shared/contract/changes';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../components/Icon.tsx';
import { Revealed } from '../../components/Revealed.tsx';
import { ChangeCount } from './ChangeCount.tsx';
import { groupFiles, type ListedFile } from './file-groups.ts';

/** The changed files by folder; a click shows the diff. Below: what is not taken over. */
export function FileList({ changes }: { readonly changes: Changes }) {
  const { t } = useTranslation();
  const { files, leftOut, conflict } = changes;
  return (
    <nav
      aria-label={t('changes.files')}
      className="flex-none border-line px-2 py-3 text-13 @max-3xl:border-b @3xl:sticky @3xl:top-0 @3xl:max-h-full @3xl:w-72 @3xl:self-start @3xl:overflow-auto"
    >
      <h2 className="px-2 pb-1 text-13 font-semibold">
        {t('changes.files')} <span className="num font-normal text-ink-3">{changes.fileCount}</span>
      </h2>
      {groupFiles(files).map(({ folder, files: listed }) => (
        <section key={folder}>
          {folder !== '' && (
            <h3 className="truncate px-2 pt-1.5 pb-0.5 text-12 text-ink-3" title={folder}>
              <Revealed text={folder} />
            </h3>
          )}
          <ul>
            {listed.map((one) => (
              <FileLine
                key={one.index}
                listed={one}
                isInConflict={conflict?.paths.includes(one.file.path) === true}
              />
            ))}
          </ul>
        </section>
      ))}
      {leftOut.length > 0 && (
        <section className="pt-4">
          <h2 className="px-2 pb-1 text-13 font-semibold">{t('changes.leftOut')}</h2>
          <ul className="px-2 text-12 text-ink-2">
            {leftOut.map(({ path, reason }) => (
              <li key={path} className="wrap-anywhere">
                <span className="font-mono">
                  <Revealed text={path} />
                </span>{' '}
                <span className="text-ink-3">{t(`changes.leftOutWhy.${reason}`)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </nav>
  );
}

const LETTERS: Readonly<Record<ChangedFile['status'], string>> = {
  added: 'A',
  modified: 'M',
  deleted: 'D',
  renamed: 'R',
  type_changed: 'T',
};
const TONES: Readonly<Record<ChangedFile['status'], string>> = {
  added: 'text-green-ink',
  modified: 'text-ink-2',
  deleted: 'text-red-ink',
  renamed: 'text-ink-2',
  type_changed: 'text-ink-2',
};

function FileLine({
  listed: { file, index, name },
  isInConflict,
}: {
  readonly listed: ListedFile;
  readonly isInConflict: boolean;
}) {
  const { t } = useTranslation();
  return (
    <li>
      <a
        href={`#change-${index}`}
        onClick={(event) => {
          event.preventDefault();
          document.getElementById(`change-${index}`)?.scrollIntoView({ block: 'start' });
        }}
        title={file.path}
        className="flex h-7 items-center gap-2 rounded-md px-2 text-ink no-underline hover:bg-hover pointer-coarse:h-9"
      >
        {isInConflict ? (
          <Icon name="warning" size={14} className="flex-none text-amber-ink" />
        ) : (
          <span
            aria-hidden="true"
            className={`w-3.5 flex-none text-center font-mono text-12 ${TONES[file.status]}`}
          >
            {LETTERS[file.status]}
          </span>
        )}
        <span className="sr-only">{t(`changes.status.${file.status}`)}</span>
        <span className="min-w-0 flex-1 truncate font-mono text-12">
          <Revealed text={name} />
        </span>
        <ChangeCount {...file} />
      </a>
    </li>
  );
}
