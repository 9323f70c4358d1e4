import type { Agent } from '@aizuchi/shared/contract/agent';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSignOut } from './use-sign-out.ts';

const ConfirmDialog = lazy(async () => ({
  default: (await import('../../components/ConfirmDialog.tsx')).ConfirmDialog,
}));

/** Signs out; asks first who came by a link and has no passkey, because the link works only once. */
export function useAskedSignOut(me: Pick<Agent, 'hasCredential'> | undefined): {
  readonly signOut: () => void;
  readonly question: ReactNode;
} {
  const { t } = useTranslation();
  const { mutate } = useSignOut();
  const [isAsked, setIsAsked] = useState(false);
  return {
    signOut: () => (me?.hasCredential === false ? setIsAsked(true) : mutate()),
    question: isAsked && (
      <Suspense fallback={null}>
        <ConfirmDialog
          open
          onOpenChange={setIsAsked}
          title={t('app.signOutTitle')}
          confirmLabel={t('app.signOut')}
          onConfirm={() => mutate()}
        >
          <p>{t('app.signOutText')}</p>
        </ConfirmDialog>
      </Suspense>
    ),
  };
}
