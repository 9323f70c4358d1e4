import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';

interface SignOutQuestionProps {
  readonly onOpenChange: (open: boolean) => void;
  readonly onConfirm: () => void;
}

export function SignOutQuestion({ onOpenChange, onConfirm }: SignOutQuestionProps) {
  const { t } = useTranslation();
  return (
    <ConfirmDialog
      open
      onOpenChange={onOpenChange}
      title={t('settings.signOutTitle')}
      confirmLabel={t('app.signOut')}
      onConfirm={onConfirm}
    >
      <p>{t('settings.signOutText')}</p>
    </ConfirmDialog>
  );
}
