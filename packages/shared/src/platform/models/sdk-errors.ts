import { APICallError, RetryError } from 'ai';
import { ModelError } from './model-ports.ts';

/** An error of the AI SDK, thrown or as a part of a stream. `hasBegun`: something of the answer came. */
export function modelErrorOf(error: unknown, hasBegun: boolean, hide: (text: string) => string): ModelError {
  if (error instanceof ModelError) return error;
  if (RetryError.isInstance(error)) return modelErrorOf(error.lastError, hasBegun, hide);
  const message = hide(messageOf(error)).slice(0, MAX_MESSAGE_LENGTH);
  if (hasBegun || !APICallError.isInstance(error)) return new ModelError('broken', message);
  const { statusCode } = error;
  if (statusCode === undefined) return new ModelError('refused', message);
  return new ModelError(statusCode < 300 ? 'broken' : 'refused', `${statusCode}: ${message}`, statusCode);
}

const MAX_MESSAGE_LENGTH = 500;

function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === 'string' ? error : (JSON.stringify(error) ?? 'unknown');
}
