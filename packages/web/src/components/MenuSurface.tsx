import clsx from 'clsx';
import { DropdownMenu } from 'radix-ui';
import { type ReactNode, useEffect } from 'react';
import { Icon } from './Icon.tsx';
import type { IconName } from './icon-paths.ts';
import { LinkedTrigger, type TriggerLink } from './late-trigger.tsx';

export interface MenuSurfaceProps {
  readonly link: TriggerLink;
  readonly label: ReactNode;
  readonly children: ReactNode;
  readonly align: 'start' | 'end';
}

/** Not in a portal: the menu belongs to the landmark of its button. */
export function MenuSurface({ link, label, children, align }: MenuSurfaceProps) {
  // After the effects of Radix: it knows already whether a key opens it.
  useEffect(() => {
    // Who has gone on meanwhile does not want it any more.
    if (link.missed && link.element?.matches(':hover, :focus')) link.element.dispatchEvent(link.missed);
    link.missed = undefined;
  }, [link]);
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <LinkedTrigger link={link} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Content
        align={align}
        sideOffset={6}
        collisionPadding={8}
        className="z-50 max-h-(--radix-dropdown-menu-content-available-height) max-w-(--radix-dropdown-menu-content-available-width) min-w-44 overflow-y-auto rounded-md border border-line-strong bg-surface p-1"
      >
        {label !== undefined && (
          <DropdownMenu.Label className="px-2 py-1 text-12 text-ink-3 wrap-anywhere">
            {label}
          </DropdownMenu.Label>
        )}
        {children}
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}

export interface MenuItemProps {
  readonly icon?: IconName;
  readonly children: ReactNode;
  readonly onSelect: () => void;
  readonly isDanger?: boolean;
  readonly disabled?: boolean;
  readonly testId?: string;
}

export function MenuItem({
  icon,
  children,
  onSelect,
  isDanger = false,
  disabled = false,
  testId,
}: MenuItemProps) {
  return (
    <DropdownMenu.Item
      disabled={disabled}
      onSelect={onSelect}
      data-testid={testId}
      className={clsx(
        'flex min-h-7 items-center gap-2 rounded-sm px-2 py-1 text-13 wrap-anywhere outline-none select-none data-disabled:text-ink-3 data-highlighted:bg-hover pointer-coarse:min-h-9',
        isDanger ? 'text-red-ink' : 'text-ink',
      )}
    >
      {icon && <Icon name={icon} size={14} className={isDanger ? undefined : 'text-ink-3'} />}
      {children}
    </DropdownMenu.Item>
  );
}

export function MenuSeparator() {
  return <DropdownMenu.Separator className="my-1 h-px bg-line" />;
}
