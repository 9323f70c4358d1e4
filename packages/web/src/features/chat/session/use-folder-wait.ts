import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import { useTranslation } from 'react-i18next';

/** What the chat says while the agent waits until another work in the folder of the project is done: whose, on what. */
export function useFolderWait(
  session: AgentSessionView | undefined,
  nameOf: (agentId: string) => string,
): string | undefined {
  const { t } = useTranslation();
  if (session?.waitsForAgentId === undefined) return undefined;
  const name = nameOf(session.waitsForAgentId);
  const { waitsForTask } = session;
  return waitsForTask === undefined
    ? t('chat.waits.folder_in_use', { name })
    : t('chat.waits.folder_task', { name, title: waitsForTask.title });
}
