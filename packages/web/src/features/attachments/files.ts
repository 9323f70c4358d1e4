import type { Attachment } from '@aizuchi/shared/contract/attachment';
import { isShownInline } from '@aizuchi/shared/core/attachments/rules/media-type';
import { MAX_PERSON_MESSAGE_LENGTH } from '../chat/limits.ts';

/** A paste that alone makes a message too long becomes a file; a few words too many do not. */
const LONG_PASTE = 1_000;

export const isPicture = ({ mediaType }: Pick<Attachment, 'mediaType'>) => isShownInline(mediaType);

/** Files that were dropped or pasted. */
export function filesIn(data: DataTransfer | null): readonly File[] {
  return [...(data?.files ?? [])];
}

/** Whether something that is dragged over the page can be dropped as a file. */
export function hasFiles(data: DataTransfer | null): boolean {
  return data?.types.includes('Files') === true;
}

/** Whether a pasted text becomes a file; `rest`: what stands in the composer besides. */
export function isLongPaste(pasted: string, rest: string): boolean {
  const length = [...pasted].length;
  return length > LONG_PASTE && length + [...rest].length > MAX_PERSON_MESSAGE_LENGTH;
}

/** What a message says that has only files: a message has a text. */
export function namesOf(files: readonly Pick<Attachment, 'name'>[]): string {
  return files
    .map(({ name }) => name)
    .join(', ')
    .slice(0, MAX_PERSON_MESSAGE_LENGTH);
}

/** The text of a message without the names that the page has put there itself. */
export function textBeside(content: string, files: readonly Attachment[] | undefined): string {
  return files && content === namesOf(files) ? '' : content;
}

/** As `12 kB` in every language. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
