import { useMutation } from '@tanstack/react-query';
import { callApi } from '../../lib/api/call-api.ts';
import { endSession } from '../../lib/session.ts';

/** Leaves in this tab in any case; the server is told when it can be reached. */
export function useSignOut() {
  return useMutation({
    mutationFn: () => {
      const call = callApi('logout', { keepalive: true });
      endSession('signed_out');
      return call;
    },
  });
}
