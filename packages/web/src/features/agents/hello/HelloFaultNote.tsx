import type { Agent } from '@aizuchi/shared/contract/agent';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '../../../lib/error-text.ts';
import { toLocale } from '../../../lib/i18n.ts';
import { failureText } from '../../chat/message/Receipt.tsx';
import { systemWords } from '../../chat/message/system-words.ts';
import type { HelloFault } from './hello.ts';

interface HelloFaultNoteProps {
  readonly fault: HelloFault;
  readonly agent: Agent;
  readonly projectId: string;
}

/** What happened and what to do, in the words of the chat; and where its log is. */
export function HelloFaultNote({ fault, agent, projectId }: HelloFaultNoteProps) {
  const { t } = useTranslation();
  const { text, detail } = useFaultWords()(fault);
  return (
    <div
      role="alert"
      data-testid="hello-fault"
      className="mx-3 mt-0.5 mb-2 ml-9 flex flex-col gap-1 rounded-sm border border-red-line bg-red-soft px-3 py-2 text-12 text-red-ink"
    >
      {detail !== '' && <code className="font-mono wrap-anywhere">{detail}</code>}
      <p className="text-pretty wrap-anywhere">{text}</p>
      {!agent.hasCredential && <p className="text-pretty">{t('chat.noCredential')}</p>}
      {fault.kind !== 'refused' && (
        <p>
          <Link
            to="/projects/$projectId/runs"
            params={{ projectId }}
            search={{ by: agent.id }}
            className="font-medium underline"
          >
            {t('hello.toRuns')}
          </Link>
        </p>
      )}
    </div>
  );
}

function useFaultWords(): (fault: HelloFault) => { readonly text: string; readonly detail: string } {
  const { t, i18n } = useTranslation();
  const errorText = useErrorText();
  return (fault) => {
    switch (fault.kind) {
      case 'refused':
        return { text: errorText(fault.error), detail: '' };
      case 'sign_in_refused':
        return { text: t('chat.signInRefused'), detail: '' };
      case 'system':
        return systemWords(fault.message, toLocale(i18n.language));
      case 'failed':
        return { text: failureText(t, fault.message, i18n.language) ?? '', detail: '' };
    }
  };
}
