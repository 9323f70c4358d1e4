import { isCode } from '../../../lib/api/api-error.ts';
import { callApi } from '../../../lib/api/call-api.ts';

/** Sends a failed message again. When another tab already did, there is nothing to do. */
export async function retryMessage(pid: string, aid: string, mid: string): Promise<void> {
  try {
    await callApi('retryMessage', { params: { pid, aid, mid } });
  } catch (error) {
    if (!isCode(error, 'message_not_failed')) throw error;
  }
}
