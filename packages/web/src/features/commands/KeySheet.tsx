import { useTranslation } from 'react-i18next';
import { Dialog, DialogBody } from '../../components/Dialog.tsx';
import { KeyCap } from '../../components/KeyCap.tsx';
import { isMac } from '../../lib/is-mac.ts';

interface KeyLine {
  readonly keys: readonly string[];
  readonly name:
    | 'menu'
    | 'newTask'
    | 'board'
    | 'inbox'
    | 'projects'
    | 'rows'
    | 'done'
    | 'back'
    | 'cards'
    | 'moveCard'
    | 'moveMenu'
    | 'answer'
    | 'send'
    | 'close'
    | 'stop'
    | 'sheet';
}

const MOD = isMac ? '⌘' : 'Ctrl';
const GROUPS: readonly {
  readonly name: 'everywhere' | 'board' | 'inbox' | 'chat';
  readonly lines: readonly KeyLine[];
}[] = [
  {
    name: 'everywhere',
    lines: [
      { keys: [MOD, 'K'], name: 'menu' },
      { keys: ['G', 'B'], name: 'board' },
      { keys: ['G', 'I'], name: 'inbox' },
      { keys: ['G', 'P'], name: 'projects' },
      { keys: ['Esc'], name: 'close' },
      { keys: ['?'], name: 'sheet' },
    ],
  },
  {
    name: 'board',
    lines: [
      { keys: ['C'], name: 'newTask' },
      { keys: ['←', '→', '↑', '↓'], name: 'cards' },
      { keys: ['Shift', '←', '→', '↑', '↓'], name: 'moveCard' },
      { keys: ['M'], name: 'moveMenu' },
    ],
  },
  {
    name: 'inbox',
    lines: [
      { keys: ['J', 'K'], name: 'rows' },
      { keys: ['E'], name: 'done' },
      { keys: ['U'], name: 'back' },
    ],
  },
  {
    name: 'chat',
    lines: [
      { keys: [MOD, '↵'], name: 'send' },
      { keys: ['1–9'], name: 'answer' },
      { keys: ['Esc', 'Esc'], name: 'stop' },
    ],
  },
];

/** All keys of the page. */
export function KeySheet({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={t('commands.keys')} testId="key-sheet">
      <DialogBody>
        {GROUPS.map(({ name, lines }) => (
          <section key={name} className="flex flex-col gap-1">
            <h3 className="text-12 font-semibold text-ink-2">{t(`keySheet.group.${name}`)}</h3>
            <dl className="flex flex-col text-13">
              {lines.map((line) => (
                <div key={line.name} className="flex min-h-7 items-center justify-between gap-4">
                  <dt>{t(`keySheet.key.${line.name}`)}</dt>
                  <dd className="flex flex-none gap-1">
                    {line.keys.map((key, index) => (
                      // A key may be pressed twice.
                      <KeyCap key={`${index} ${key}`}>{key}</KeyCap>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </DialogBody>
    </Dialog>
  );
}
