import { MAX_ATTACHMENT_BYTES } from '@aizuchi/shared/contract/attachment';
import { tooLarge } from '@aizuchi/shared/core/attachments/attachment-service';
import { isShownInline } from '@aizuchi/shared/core/attachments/rules/media-type';
import { AppError } from '@aizuchi/shared/platform/errors';
import type { FastifyRequest } from 'fastify';
import type { RestContext } from '../context.ts';
import { contentDisposition, nameIn } from '../plugins/content-disposition.ts';
import type { HandlersOf } from '../plugins/route-table.ts';

type Names = 'uploadAttachment' | 'getAttachment';

/** A file that a person opens by its address runs nothing and loads nothing, whatever is in it. */
const FILE_CSP = "default-src 'none'; sandbox; frame-ancestors 'none'";

export function attachmentRoutes({ attachments }: RestContext): HandlersOf<Names> {
  return {
    uploadAttachment: async ({ person, params, query, request }) => {
      await attachments.requireUploader(person, params.pid);
      const bytes = await wholeBody(request);
      const name = query.name ?? nameIn(request.headers['content-disposition']);
      return attachments.upload(person, { projectId: params.pid, name, bytes });
    },
    getAttachment: async ({ person, params, reply }) => {
      const { attachment, bytes } = await attachments.read(person, params.id);
      const { mediaType, name } = attachment;
      const isInline = isShownInline(mediaType);
      reply.headers({
        'content-type': isInline ? mediaType : 'application/octet-stream',
        'content-disposition': contentDisposition(isInline ? 'inline' : 'attachment', name),
        'content-security-policy': FILE_CSP,
      });
      return bytes;
    },
  };
}

/** @throws AppError payload_too_large, invalid_input */
async function wholeBody({ headers, readPieces }: FastifyRequest): Promise<Buffer> {
  if (Number(headers['content-length'] ?? 0) > MAX_ATTACHMENT_BYTES) throw tooLarge();
  // Its envelope would become part of the file.
  if (headers['content-type']?.toLowerCase().startsWith('multipart/'))
    throw new AppError('invalid_input', 'Send the file itself as the body, not as a part of a form.');
  // One buffer: a sender of single bytes would make each of them an object.
  const whole = Buffer.allocUnsafe(MAX_ATTACHMENT_BYTES);
  let length = 0;
  for await (const piece of readPieces?.() ?? []) {
    if (length + piece.length > MAX_ATTACHMENT_BYTES) throw tooLarge();
    length += piece.copy(whole, length);
  }
  return whole.subarray(0, length);
}
