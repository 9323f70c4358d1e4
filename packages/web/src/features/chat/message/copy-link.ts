import type { Message } from '@aizuchi/shared/contract/chat';
import { copyText } from '../../settings/copy-text.ts';

/** False: the browser refuses. */
export function copyLink({ projectId, id }: Message, agentId: string): Promise<boolean> {
  const search = new URLSearchParams({ agent: agentId, message: id });
  return copyText(`${window.location.origin}/projects/${projectId}?${search}`);
}
