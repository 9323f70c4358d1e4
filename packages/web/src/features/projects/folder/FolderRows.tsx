import type { FolderList } from '@aizuchi/shared/contract/folder';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../../components/Icon.tsx';

interface FolderRowsProps {
  readonly list: FolderList;
  readonly onOpen: (path: string) => void;
  /** Undefined where nothing is above. */
  readonly onUp: (() => void) | undefined;
}

/** The folders of one folder. One of them is in the order of Tab; the arrow keys go on from it. */
export function FolderRows({ list, onOpen, onUp }: FolderRowsProps) {
  const { t } = useTranslation();
  const [at, setAt] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isElsewhere(box.current?.closest('section'))) return;
    // Also the empty one takes the keys: the arrow to the left leads out of it.
    (box.current?.querySelector('button') ?? box.current)?.focus({ preventScroll: true });
  }, []);
  const moveTo = (row: number) => {
    const rows = box.current?.querySelectorAll('button') ?? [];
    const next = Math.min(Math.max(row, 0), rows.length - 1);
    setAt(next);
    rows[next]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = actionOf(event.key);
    if (!act) return;
    event.preventDefault();
    act();
  };
  const actionOf = (key: string): (() => void) | undefined => {
    if (key === 'ArrowDown') return () => moveTo(at + 1);
    if (key === 'ArrowUp') return () => moveTo(at - 1);
    if (key === 'Home') return () => moveTo(0);
    if (key === 'End') return () => moveTo(list.folders.length - 1);
    if (key === 'ArrowLeft' || key === 'Backspace') return onUp;
    const folder = list.folders[at];
    if (key === 'ArrowRight') return folder && (() => onOpen(folder.path));
    const named = key.length === 1 && key !== ' ' ? beginsWith(list, key, at) : -1;
    return named < 0 ? undefined : () => moveTo(named);
  };
  const folder = list.trail.at(-1)?.name ?? t('folders.places');
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the buttons inside.
    <div
      ref={box}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      className="max-h-56 min-h-16 overflow-y-auto p-1 -outline-offset-2"
    >
      {list.folders.length === 0 ? (
        <p className="px-2 py-1 text-13 text-ink-2">{t('folders.empty')}</p>
      ) : (
        <ul aria-label={t('folders.inside', { folder })}>
          {list.folders.map(({ name, path, looksLikeAnother }, row) => (
            <li key={path}>
              <button
                type="button"
                tabIndex={row === at ? 0 : -1}
                className="flex min-h-7 w-full items-center gap-2 rounded-sm px-2 py-0.5 text-left text-13 -outline-offset-2 hover:bg-hover focus:bg-hover pointer-coarse:min-h-9"
                onFocus={() => setAt(row)}
                onClick={() => onOpen(path)}
              >
                <Icon name="folder" className="flex-none text-ink-3" />
                <bdi className="min-w-0 flex-1 font-mono text-12 wrap-anywhere">{name}</bdi>
                {looksLikeAnother && (
                  <span className="inline-flex items-center gap-1 text-12 text-amber-ink">
                    <Icon name="warning" />
                    {t('folders.looksLikeAnother')}
                  </span>
                )}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The person has gone on meanwhile: the focus is neither in the picker, on its button, nor on what is around it. */
function isElsewhere(picker: HTMLElement | null | undefined): boolean {
  const focused = document.activeElement;
  if (!picker || !focused || focused.contains(picker) || picker.contains(focused)) return false;
  return focused.getAttribute('aria-controls') !== picker.id;
}

/** The next one behind `from` whose name begins with this character. */
function beginsWith({ folders }: FolderList, key: string, from: number): number {
  const wanted = key.toLowerCase();
  const places = folders.map((_folder, n) => (from + 1 + n) % folders.length);
  return places.find((n) => folders[n]?.name.toLowerCase().startsWith(wanted)) ?? -1;
}
