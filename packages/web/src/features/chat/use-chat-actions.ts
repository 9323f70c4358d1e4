import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { callApi } from '../../lib/api/call-api.ts';
import { retryMessage } from './message/retry-message.ts';

/** What the strip above the messages says about the last action. */
export type ChatNote = { readonly error: unknown } | { readonly text: string };

/** The actions of the chat's menu and messages. `note` tells how the last one went. */
export function useChatActions(projectId: string, agentId: string) {
  const { t } = useTranslation();
  const [note, setNote] = useState<ChatNote>();
  const act = useCallback(async (action: () => Promise<unknown>, done?: ChatNote) => {
    try {
      await action();
      setNote(done);
    } catch (error) {
      setNote({ error });
    }
  }, []);
  const retry = useCallback(
    (ids: readonly string[]) =>
      void act(async () => {
        for (const mid of ids) await retryMessage(projectId, agentId, mid);
      }),
    [act, projectId, agentId],
  );
  const params = { pid: projectId, aid: agentId };
  return {
    note,
    clearNote: () => setNote(undefined),
    retry,
    startNewContext: () => void act(() => callApi('newChat', { params }), { text: t('chat.contextStarted') }),
    endNow: () => act(() => callApi('endChat', { params, body: { force: true } })),
    interrupt: () => void act(() => callApi('interruptChat', { params })),
  };
}
