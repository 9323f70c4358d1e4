import type { Message } from '@aizuchi/shared/contract/chat';
import { isShownInline } from '@aizuchi/shared/core/attachments/rules/media-type';
import type { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import type { Picture, Turn } from '../driver.ts';

/** Models refuse larger ones: in base64 this is 5 MB. */
const MAX_BYTES = 3_700_000;
/** Of a turn. What is left out the model can read with get_attachment. */
const MAX_PICTURES = 10;
const MAX_ALL_BYTES = 15_000_000;

interface Source {
  readonly client: Pick<ToolClient, 'image'>;
  readonly signal: AbortSignal;
  readonly log: (sentence: string) => void;
}

/** Fetched when a driver asks for them, once. */
export function picturesOf(messages: readonly Message[], source: Source): Turn['pictures'] {
  const wanted = messages.flatMap(({ id: messageId, attachments = [] }) =>
    attachments
      .filter(({ mediaType, size }) => isShownInline(mediaType) && size <= MAX_BYTES)
      .map((file) => ({ messageId, ...file })),
  );
  if (wanted.length === 0) return undefined;
  let fetched: Promise<readonly Picture[]> | undefined;
  return () => {
    fetched ??= fetchAll(wanted.slice(0, MAX_PICTURES), source);
    return fetched;
  };
}

async function fetchAll(
  wanted: readonly (Omit<Picture, 'data'> & { readonly id: string; readonly size: number })[],
  { client, signal, log }: Source,
): Promise<readonly Picture[]> {
  const pictures: Picture[] = [];
  let bytes = 0;
  for (const { id, size, messageId, name, mediaType } of wanted) {
    bytes += size;
    if (bytes > MAX_ALL_BYTES || signal.aborted) break;
    try {
      const data = await client.image(id, { signal });
      if (data !== undefined) pictures.push({ messageId, name, mediaType, data });
    } catch (error) {
      // The turn goes on: the message names the file.
      if (!signal.aborted) log(`the picture ${id} could not be fetched: ${error}`);
    }
  }
  return pictures;
}
