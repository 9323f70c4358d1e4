import type { Message } from '@aizuchi/shared/contract/chat';
import { isShownInline } from '@aizuchi/shared/core/attachments/rules/media-type';
import type { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import type { Picture, Turn } from '../driver.ts';

/** Models refuse larger ones: in base64 this is 5 MB. */
const MAX_BYTES = 3_700_000;
/** On a side. A request with a larger picture is refused, and the turn with it. */
const MAX_PIXELS = 8_000;
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
      if (data === undefined) continue;
      if (await canBeSent(data)) pictures.push({ messageId, name, mediaType, data });
      else log(`the picture ${id} is damaged or larger than ${MAX_PIXELS} pixels on a side: it is not sent`);
    } catch (error) {
      // The turn goes on: the message names the file.
      if (!signal.aborted) log(`the picture ${id} could not be fetched: ${error}`);
    }
  }
  return pictures;
}

/** The size as its header says; a file without one is damaged. */
async function canBeSent(base64: string): Promise<boolean> {
  const { imageSize } = await import('image-size');
  try {
    const { width, height } = imageSize(Buffer.from(base64, 'base64'));
    return Math.max(width, height) <= MAX_PIXELS;
  } catch {
    return false;
  }
}
