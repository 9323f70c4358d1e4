import { useMutation } from '@tanstack/react-query';
import { callApi } from '../../lib/api/call-api.ts';
import { endSession } from '../../lib/session.ts';

/** Ends the session of this tab in any case; the server learns of it if it can be reached. */
export function useSignOut() {
  return useMutation({
    mutationFn: () => {
      const call = callApi('logout', { keepalive: true });
      endSession('signed_out');
      return call;
    },
  });
}
