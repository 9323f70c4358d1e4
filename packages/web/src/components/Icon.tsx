import clsx from 'clsx';
import { ICON_PATHS, type IconName } from './icon-paths.ts';

interface IconProps {
  readonly name: IconName;
  readonly size?: 12 | 14 | 16 | 20;
  readonly className?: string | undefined;
}

const STROKE = { 12: 2, 14: 1.7, 16: 1.5, 20: 1.2 } as const;

/** Hidden from screen readers: an icon is always beside a text or inside of a named element. */
export function Icon({ name, size = 16, className }: IconProps) {
  return (
    <svg
      viewBox="0 0 16 16"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'more' ? 2.4 : STROKE[size]}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className={clsx('block flex-none', className)}
    >
      <path d={ICON_PATHS[name]} />
    </svg>
  );
}
