import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from './Button.tsx';
import { Dialog, DialogBody, DialogFoot } from './Dialog.tsx';

interface ConfirmDialogProps {
  readonly title: ReactNode;
  /** What will happen, and what will not. */
  readonly children: ReactNode;
  readonly confirmLabel: string;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly onConfirm: () => void;
  readonly isBusy?: boolean;
  /** Nothing is lost by it. */
  readonly isHarmless?: boolean;
}

/** Asks before an action that cannot be undone. */
export function ConfirmDialog({
  title,
  children,
  confirmLabel,
  open,
  onOpenChange,
  onConfirm,
  isBusy = false,
  isHarmless = false,
}: ConfirmDialogProps) {
  const { t } = useTranslation();
  return (
    <Dialog title={title} open={open} onOpenChange={onOpenChange}>
      <DialogBody>
        <div className="text-13 text-ink-2">{children}</div>
      </DialogBody>
      <DialogFoot>
        <Button onClick={() => onOpenChange(false)}>{t('common.cancel')}</Button>
        <Button variant={isHarmless ? 'primary' : 'danger'} isBusy={isBusy} onClick={onConfirm}>
          {confirmLabel}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
