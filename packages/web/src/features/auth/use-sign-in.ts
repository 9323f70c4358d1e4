import type { LoginBody } from '@aizuchi/shared/contract/auth';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { callApi } from '../../lib/api/call-api.ts';
import { toLocale } from '../../lib/i18n.ts';
import { keys } from '../../lib/queries/keys.ts';
import { beginSession } from '../../lib/session.ts';

/** After too many failures the server delays its response by some seconds. */
export function useSignIn(next: string | undefined) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (body: LoginBody) =>
      callApi('login', { body: { ...body, locale: toLocale(document.documentElement.lang) } }),
    onSuccess: async ({ csrf, agent }) => {
      client.clear();
      beginSession(csrf);
      client.setQueryData(keys.me, agent);
      // Who came by an invitation chooses a passkey first: the link works once.
      const first = agent.hasCredential ? '/projects' : '/settings/general';
      await navigate({ to: next ?? first, replace: true });
    },
  });
}
