import clsx from 'clsx';
import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useRestoreFocus } from '../lib/hooks/use-restore-focus.ts';
import { IconButton } from './Button.tsx';

interface DialogProps {
  readonly title: ReactNode;
  /** One sentence under the title. */
  readonly description?: ReactNode;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly children: ReactNode;
  readonly testId?: string;
  /** lg: for fields side by side. */
  readonly size?: 'md' | 'lg';
}

/** Centred, at 360 px full-screen. Esc, × and a click outside close it. */
export function Dialog({
  title,
  description,
  open,
  onOpenChange,
  children,
  testId,
  size = 'md',
}: DialogProps) {
  const { t } = useTranslation();
  const giveFocusBack = useRestoreFocus(open);
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-ink/25 dark:bg-sunken/70" />
        <Radix.Content
          {...(description === undefined && { 'aria-describedby': undefined })}
          data-testid={testId}
          onCloseAutoFocus={giveFocusBack}
          // Not the × button, which is first but rarely wanted. A field with autoFocus keeps the focus.
          onOpenAutoFocus={(event) => {
            event.preventDefault();
            if (event.target instanceof HTMLElement) event.target.focus();
          }}
          className={clsx(
            'fixed top-1/2 left-1/2 z-50 flex max-h-[100dvh] w-full -translate-1/2 flex-col border border-line-strong bg-surface outline-none max-sm:h-[100dvh] sm:max-h-[85dvh] sm:w-[calc(100%-32px)] sm:rounded-md',
            size === 'md' ? 'sm:max-w-[480px]' : 'sm:max-w-[720px]',
          )}
        >
          <header className="flex items-start gap-2 border-b border-line py-2.5 pr-2 pl-4">
            <div className="min-w-0 flex-1">
              <Radix.Title className="text-14 font-semibold">{title}</Radix.Title>
              {description !== undefined && (
                <Radix.Description className="mt-0.5 text-12 text-ink-2">{description}</Radix.Description>
              )}
            </div>
            <Radix.Close asChild>
              <IconButton icon="close" label={t('common.close')} />
            </Radix.Close>
          </header>
          <div className="min-h-0 overflow-y-auto">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** The body of a dialog with a form. */
export function DialogBody({ children }: { readonly children: ReactNode }) {
  return <div className="flex flex-col gap-4 p-4">{children}</div>;
}

/** The buttons at the bottom, the primary one last. */
export function DialogFoot({ children }: { readonly children: ReactNode }) {
  return <div className="flex items-center justify-end gap-2 border-t border-line px-4 py-3">{children}</div>;
}
