import type { ReactNode } from 'react';
import { useId } from 'react';
import { Icon } from '../../../../components/Icon.tsx';
import type { IconName } from '../../../../components/icon-paths.ts';

/** A control of a property: its border shows only under the pointer and with the focus. */
export const QUIET_CONTROL =
  'h-7 w-full min-w-0 rounded-md border border-transparent bg-transparent px-1.5 text-12 text-ink not-disabled:hover:border-line-strong focus-visible:border-accent disabled:opacity-100 pointer-coarse:h-9 pointer-coarse:text-16';

interface PropertyProps {
  readonly icon: IconName;
  readonly label: string;
  /** Gets the id that the label names. */
  readonly children: (id: string) => ReactNode;
}

/** The browser adds the rest of the space before the text of a list. */
export const QUIET_SELECT = QUIET_CONTROL.replace('px-1.5', 'px-0.5');

/** A line of the properties: icon, name, control. */
export function Property({ icon, label, children }: PropertyProps) {
  const id = useId();
  return (
    <div className="grid min-h-7 grid-cols-[96px_minmax(0,1fr)] items-start text-12">
      <label htmlFor={id} className="flex h-7 items-center gap-2 text-ink-2 pointer-coarse:h-9">
        <Icon name={icon} size={14} className="text-ink-3" />
        {label}
      </label>
      <div className="flex min-w-0 flex-wrap items-center gap-1">{children(id)}</div>
    </div>
  );
}
