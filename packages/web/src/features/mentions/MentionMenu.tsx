import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../components/Avatar.tsx';
import type { MentionMenuState } from './use-mention-menu.ts';

interface MentionMenuProps {
  readonly id: string;
  readonly testId: string;
  readonly menu: Pick<MentionMenuState, 'people' | 'at' | 'pick'>;
  /** Where it stands. */
  readonly className: string;
}

/** The names that an `@` offers. The text field keeps the focus and takes the keys. */
export function MentionMenu({ id, testId, menu: { people, at, pick }, className }: MentionMenuProps) {
  const { t } = useTranslation();
  return (
    <div
      id={id}
      role="listbox"
      aria-label={t('app.names')}
      data-testid={testId}
      className={clsx(
        'absolute z-40 w-64 max-w-[calc(100%-32px)] rounded-md border border-line-strong bg-surface p-1',
        className,
      )}
    >
      {people.map((person, index) => (
        <div
          key={person.id}
          id={`${id}-${index}`}
          role="option"
          // The keys go through the text, which keeps the focus.
          tabIndex={-1}
          aria-selected={index === at}
          onPointerDown={(event) => {
            event.preventDefault();
            pick(person);
          }}
          className={clsx(
            'flex min-h-7 cursor-pointer items-center gap-2 rounded-sm px-2 text-13 pointer-coarse:min-h-9',
            index === at && 'bg-hover',
          )}
        >
          <Avatar name={person.name} type={person.type} size={16} />
          <span className="min-w-0 truncate">{person.name}</span>
        </div>
      ))}
    </div>
  );
}
