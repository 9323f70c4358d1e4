import clsx from 'clsx';
import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useRestoreFocus } from '../lib/hooks/use-restore-focus.ts';
import { Button, IconButton } from './Button.tsx';
import { type AsksBeforeClose, useCloseGuard } from './use-close-guard.ts';

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
  /** Whether Esc, × and a click outside ask before they close it. */
  readonly asksBeforeClose?: AsksBeforeClose;
}

/** Centred, at 360 px full-screen. Esc, × and a click outside close it; they never throw away what was written. */
export function Dialog({
  title,
  description,
  open,
  onOpenChange,
  children,
  testId,
  size = 'md',
  asksBeforeClose = 'written',
}: DialogProps) {
  const { t } = useTranslation();
  const giveFocusBack = useRestoreFocus(open);
  const guard = useCloseGuard({ asks: asksBeforeClose, onOpenChange });
  return (
    <Radix.Root open={open} onOpenChange={guard.onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-ink/25 dark:bg-sunken/70" />
        <Radix.Content
          {...(description === undefined && { 'aria-describedby': undefined })}
          data-testid={testId}
          onInput={guard.onInput}
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
          {/* What takes the focus is scrolled to above the buttons, which stay at the bottom. */}
          <div className="min-h-0 scroll-pb-20 overflow-y-auto">{children}</div>
          {guard.isAsking && (
            <CloseQuestion
              isSecret={asksBeforeClose === 'always'}
              onStay={guard.stay}
              onLeave={guard.leave}
            />
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

interface CloseQuestionProps {
  readonly isSecret: boolean;
  readonly onStay: () => void;
  readonly onLeave: () => void;
}

function CloseQuestion({ isSecret, onStay, onLeave }: CloseQuestionProps) {
  const { t } = useTranslation();
  return (
    <div
      role="alert"
      data-testid="close-question"
      className="flex flex-none flex-wrap items-center justify-end gap-2 border-t border-amber-line bg-amber-soft px-4 py-3 text-13 text-amber-ink sm:rounded-b-md"
    >
      <p className="min-w-40 flex-1">{t(isSecret ? 'common.closeSecret' : 'common.closeWritten')}</p>
      <Button autoFocus onClick={onStay} data-testid="close-stay">
        {t(isSecret ? 'common.staySecret' : 'common.stay')}
      </Button>
      <Button variant="danger" onClick={onLeave} data-testid="close-leave">
        {t(isSecret ? 'common.close' : 'common.discard')}
      </Button>
    </div>
  );
}

/** The body of a dialog with a form. */
export function DialogBody({ children }: { readonly children: ReactNode }) {
  return <div className="flex flex-col gap-4 p-4">{children}</div>;
}

/** The buttons at the bottom, the primary one last. */
export function DialogFoot({ children }: { readonly children: ReactNode }) {
  return (
    // Always in view, also at 200 % zoom, where the fields are higher than the dialog.
    <div className="sticky bottom-0 z-10 flex flex-wrap items-center justify-end gap-2 border-t border-line bg-surface px-4 py-3 sm:rounded-b-md">
      {children}
    </div>
  );
}
