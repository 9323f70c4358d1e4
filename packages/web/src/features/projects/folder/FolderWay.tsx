import type { FolderList } from '@aizuchi/shared/contract/folder';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../../components/Icon.tsx';

interface FolderWayProps {
  readonly trail: FolderList['trail'];
  readonly onOpen: (path: string) => void;
  readonly onOpenPlaces: () => void;
}

const STEP = 'rounded-sm px-1 font-mono text-12 wrap-anywhere text-left';

/** The way from the allowed places down to the folder; each step leads back. */
export function FolderWay({ trail, onOpen, onOpenPlaces }: FolderWayProps) {
  const { t } = useTranslation();
  const current = trail.at(-1);
  return (
    <nav aria-label={t('folders.way')} className="border-b border-line bg-sunken px-1.5 py-1">
      <ol className="flex flex-wrap items-center gap-x-0.5">
        <li>
          <button
            type="button"
            aria-current={current === undefined ? 'location' : undefined}
            className="rounded-sm px-1 text-12 text-ink-2 hover:bg-hover hover:text-ink aria-[current]:text-ink pointer-coarse:min-h-9"
            onClick={onOpenPlaces}
          >
            {t('folders.places')}
          </button>
        </li>
        {trail.map(({ name, path }) => (
          <li key={path} className="flex min-w-0 items-center gap-0.5">
            <Icon name="chevronRight" className="flex-none text-ink-3" />
            {path === current?.path ? (
              <span aria-current="location" className={`${STEP} font-medium text-ink`}>
                <bdi>{name}</bdi>
              </span>
            ) : (
              <button
                type="button"
                className={`${STEP} text-ink-2 hover:bg-hover hover:text-ink pointer-coarse:min-h-9`}
                onClick={() => onOpen(path)}
              >
                <bdi>{name}</bdi>
              </button>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
