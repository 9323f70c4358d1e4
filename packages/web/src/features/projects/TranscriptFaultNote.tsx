import { CHAT_LOG_FAULT_CODES } from '@aizuchi/shared/contract/chat-log-fault-codes';
import { useTranslation } from 'react-i18next';

/** Why the transcript is not written, or that it was rewritten; the fault is `code: file`. */
export function TranscriptFaultNote({ fault }: { readonly fault: string }) {
  const { t } = useTranslation();
  const [given = '', ...rest] = fault.split(': ');
  const code = CHAT_LOG_FAULT_CODES.find((known) => known === given);
  // A newer server may know more codes than a page that stayed open.
  const reason = code === undefined ? given : t(`projects.chatLogFaults.${code}`);
  return (
    <p className="border-b border-amber-line bg-amber-soft px-4 py-2 text-12 text-amber-ink">
      {t('projects.chatLogFault', { reason, file: rest.join(': ') })}
    </p>
  );
}
