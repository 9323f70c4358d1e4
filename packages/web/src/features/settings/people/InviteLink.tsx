import type { Invite } from '@aizuchi/shared/contract/agent';
import { useTranslation } from 'react-i18next';
import { exactTime } from '../../../lib/time.ts';
import { OneTimeSecret } from '../OneTimeSecret.tsx';

/** The link that a person signs in with, once. */
export function InviteLink({ invite }: { readonly invite: Invite }) {
  const { t, i18n } = useTranslation();
  return (
    <OneTimeSecret
      secret={`${location.origin}/login#code=${invite.code}`}
      label={t('settings.inviteLink')}
      hint={t('settings.inviteHint', { until: exactTime(new Date(invite.expiresAt), i18n.language) })}
      testId="invite-once"
    />
  );
}
