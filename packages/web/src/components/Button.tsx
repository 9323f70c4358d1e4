import clsx from 'clsx';
import type { ComponentProps } from 'react';
import { Icon } from './Icon.tsx';
import type { IconName } from './icon-paths.ts';
import { Spinner } from './Spinner.tsx';

export interface ButtonProps extends ComponentProps<'button'> {
  /** off: looks disabled but can still be focused (use aria-disabled). */
  readonly variant?: 'default' | 'primary' | 'quiet' | 'danger' | 'ask' | 'amber' | 'off';
  readonly size?: 'md' | 'sm';
  readonly icon?: IconName;
  /** Shows a spinner and does nothing when pressed again. */
  readonly isBusy?: boolean;
}

const VARIANTS = {
  default: 'border-line-strong bg-surface text-ink hover:bg-hover',
  primary: 'border-accent bg-accent text-on-accent hover:bg-accent-hover hover:border-accent-hover',
  quiet: 'border-transparent text-ink-2 hover:bg-hover hover:text-ink',
  danger: 'border-red-line bg-surface text-red-ink hover:bg-red-soft',
  ask: 'border-ask bg-ask text-on-ask hover:bg-ask-ink',
  amber: 'border-amber-ink bg-amber-ink text-on-amber hover:opacity-90',
  off: 'border-line bg-sunken text-ink-3',
} as const;

/** 28 px high, 24 in dense rows; on touch screens at least 36. */
export function buttonClass({
  variant = 'default',
  size = 'md',
  isSquare = false,
}: {
  variant?: ButtonProps['variant'];
  size?: ButtonProps['size'];
  isSquare?: boolean;
} = {}): string {
  return clsx(
    'inline-flex flex-none items-center justify-center rounded-md border font-medium whitespace-nowrap no-underline transition-colors duration-100 disabled:border-line disabled:bg-sunken disabled:text-ink-3',
    size === 'md' ? 'h-7 gap-1.5 text-13 pointer-coarse:min-h-9' : 'h-6 gap-1 text-12 pointer-coarse:min-h-9',
    isSquare
      ? size === 'md'
        ? 'w-7 pointer-coarse:min-w-9'
        : 'w-6 pointer-coarse:min-w-9'
      : size === 'md'
        ? 'px-2.5'
        : 'px-2',
    VARIANTS[variant ?? 'default'],
  );
}

export function Button({
  variant,
  size,
  icon,
  isBusy = false,
  className,
  children,
  onClick,
  type = 'button',
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      aria-busy={isBusy || undefined}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
      className={clsx(buttonClass({ variant, size }), className)}
    >
      {isBusy ? <Spinner /> : icon && <Icon name={icon} size={14} />}
      {children}
    </button>
  );
}

interface IconButtonProps extends Omit<ButtonProps, 'children' | 'icon'> {
  readonly icon: IconName;
  /** What it does: its name for screen readers and on hover. */
  readonly label: string;
}

export function IconButton({
  icon,
  label,
  variant = 'quiet',
  size = 'sm',
  className,
  type = 'button',
  ...rest
}: IconButtonProps) {
  const { isBusy: _isBusy, ...props } = rest;
  return (
    <button
      {...props}
      type={type}
      aria-label={label}
      title={label}
      className={clsx(buttonClass({ variant, size, isSquare: true }), className)}
    >
      <Icon name={icon} size={icon === 'theme' || icon === 'more' ? 16 : 14} />
    </button>
  );
}
