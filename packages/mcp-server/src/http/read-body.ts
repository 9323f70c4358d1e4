import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { AppError } from '@aizuchi/shared/platform/errors';

const MAX_BODY_BYTES = 1_048_576;

/**
 * The whole body as text. Rejects with payload_too_large as soon as it is; the rest is read and thrown away, for a
 * connection that is closed on its client before it has sent everything loses the answer.
 */
export function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const refuse = () => {
      chunks.length = 0;
      reject(new AppError('payload_too_large', `The body may have at most ${MAX_BODY_BYTES} bytes.`));
    };
    if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) refuse();
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) refuse();
      else chunks.push(chunk);
    });
    request.once('end', () => {
      const bytes = Buffer.concat(chunks);
      // Decoding would put a replacement character in its place, and what an agent wrote would be stored altered.
      if (isUtf8(bytes)) resolve(bytes.toString('utf8'));
      else reject(new AppError('invalid_input', 'The body is not UTF-8.'));
    });
    // A client that hangs up in the middle is nobody's error here: there is none to answer and nothing to log.
    const cutOff = () => reject(new AppError('invalid_input', 'The body was cut off.'));
    request.once('error', cutOff);
    request.once('close', () => {
      if (!request.complete) cutOff();
    });
  });
}
