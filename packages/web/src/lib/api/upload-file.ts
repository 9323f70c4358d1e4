import type { Attachment } from '@aizuchi/shared/contract/attachment';
import type { ErrorBody } from '@aizuchi/shared/contract/errors';
import { endSession, session } from '../session.ts';
import { ApiError } from './api-error.ts';

interface UploadOptions {
  readonly signal: AbortSignal;
  /** From 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/** Uploads a file into a project. Not by `fetch`, which does not say how far it is. Throws ApiError. */
export function uploadFile(pid: string, file: File, options: UploadOptions): Promise<Attachment> {
  const { signal, onProgress } = options;
  const { csrf } = session.get();
  const { promise, resolve, reject } = Promise.withResolvers<Attachment>();
  const request = new XMLHttpRequest();
  const query = new URLSearchParams({ name: file.name.slice(0, 1_000) });
  request.open('POST', `/api/projects/${encodeURIComponent(pid)}/attachments?${query}`);
  request.setRequestHeader('content-type', 'application/octet-stream');
  if (csrf !== undefined) request.setRequestHeader('x-aizuchi-csrf', csrf);
  request.responseType = 'json';
  request.upload.addEventListener('progress', ({ loaded, total }) =>
    onProgress(total > 0 ? loaded / total : 0),
  );
  request.addEventListener('load', () => {
    if (request.status === 201) return resolve(request.response as Attachment);
    const error = errorOf(request);
    if (error.code === 'unauthenticated') endSession('expired', csrf);
    reject(error);
  });
  request.addEventListener('error', () => reject(new ApiError('network', 'The server did not answer.')));
  request.addEventListener('abort', () => reject(new ApiError('network', 'The upload was cancelled.')));
  signal.addEventListener('abort', () => request.abort(), { once: true });
  request.send(file);
  // Cancelled while this file was loaded.
  if (signal.aborted) request.abort();
  return promise;
}

function errorOf({ response, status }: XMLHttpRequest): ApiError {
  const body = response as ErrorBody | null;
  // The response of a proxy, or an incomplete one.
  if (!body?.error) return new ApiError('unavailable', `HTTP ${status}`, { status });
  return new ApiError(body.error.code, body.error.message, { status, details: body.error.details });
}
