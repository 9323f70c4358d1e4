import { MAX_IMAGE_BYTES } from '../../contract/turn.ts';
import { AppError } from '../../platform/errors.ts';
import type { ModelImage } from '../../platform/models/model-ports.ts';
import { imageTypeOf } from '../attachments/rules/image-type.ts';

/**
 * The images of a turn; null: one is too large. Its type is what its bytes say, not what its data URI does.
 *
 * @throws AppError invalid_input
 */
export function imagesOf(uris: readonly string[]): readonly ModelImage[] | null {
  const images: ModelImage[] = [];
  for (const [index, uri] of uris.entries()) {
    const data = uri.slice(uri.indexOf(',') + 1);
    if (decodedLength(data) > MAX_IMAGE_BYTES) return null;
    const bytes = Buffer.from(data, 'base64');
    const mediaType = imageTypeOf(bytes);
    // Characters that are not base64 are passed over while it is decoded.
    if (mediaType === undefined || bytes.length !== decodedLength(data)) throw notAnImage(index);
    images.push({ mediaType, bytes });
  }
  return images;
}

function decodedLength(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.floor((base64.length * 3) / 4) - padding;
}

function notAnImage(index: number): AppError {
  const message = 'is not a png, jpeg or webp in base64';
  return new AppError('invalid_input', `Not valid: images.${index}: ${message}.`, {
    details: { issues: [{ path: `images.${index}`, message }] },
  });
}
