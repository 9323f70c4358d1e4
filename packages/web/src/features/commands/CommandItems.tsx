import { Command } from 'cmdk';
import type { ReactNode } from 'react';
import { Icon } from '../../components/Icon.tsx';
import type { IconName } from '../../components/icon-paths.ts';

export function Group({ heading, children }: { readonly heading: string; readonly children: ReactNode }) {
  return (
    <Command.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-11 [&_[cmdk-group-heading]]:text-ink-3"
    >
      {children}
    </Command.Group>
  );
}

interface ItemProps {
  readonly value?: string;
  readonly icon?: IconName;
  readonly before?: ReactNode;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}

export function Item({ value, icon, before, onSelect, children }: ItemProps) {
  return (
    <Command.Item
      {...(value !== undefined && { value })}
      onSelect={onSelect}
      className="flex min-h-8 cursor-pointer items-center gap-2.5 rounded-sm px-3 text-13 data-[selected=true]:bg-hover pointer-coarse:min-h-10"
    >
      {icon ? <Icon name={icon} className="text-ink-3" /> : before}
      <span className="min-w-0 truncate">{children}</span>
    </Command.Item>
  );
}
