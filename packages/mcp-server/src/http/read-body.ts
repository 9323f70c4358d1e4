import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { AppError } from '@aizuchi/shared/platform/errors';
import getRawBody from 'raw-body';

const MAX_BODY_BYTES = 1_048_576;

/** The whole body as text. Rejects with payload_too_large as soon as the limit is exceeded. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const length = request.headers['content-length'] ?? null;
  const bytes = await getRawBody(request, { limit: MAX_BODY_BYTES, length }).catch((error: unknown) => {
    throw isTooLarge(error)
      ? new AppError('payload_too_large', `The body may have at most ${MAX_BODY_BYTES} bytes.`)
      : // The client disconnected in the middle of its body: there is no reader and nothing to log.
        new AppError('invalid_input', 'The body was cut off.');
  });
  // Decoding would insert a replacement character, and the text of an agent would be stored altered.
  if (!isUtf8(bytes)) throw new AppError('invalid_input', 'The body is not UTF-8.');
  return bytes.toString('utf8');
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'type' in error && error.type === 'entity.too.large';
}
