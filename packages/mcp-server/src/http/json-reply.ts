import type { ServerResponse } from 'node:http';
import type { ErrorCode } from '@aizuchi/shared/contract/error-codes';
import type { AppError } from '@aizuchi/shared/platform/errors';

/**
 * Refusals before the MCP layer, with their HTTP status. Everything that a tool refuses is a result
 * (tool-error.ts).
 */
const STATUS: Partial<Record<ErrorCode, number>> = {
  invalid_input: 400,
  unauthenticated: 401,
  host_not_allowed: 403,
  origin_not_allowed: 403,
  not_found: 404,
  payload_too_large: 413,
  rate_limited: 429,
  unavailable: 503,
};

export function sendJson(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
  });
  response.end(text);
}

export function sendError(response: ServerResponse, error: AppError): void {
  const { code, message, details, retryAfterSeconds } = error;
  if (code === 'unavailable' || code === 'rate_limited')
    response.setHeader('Retry-After', retryAfterSeconds ?? 1);
  sendJson(response, STATUS[code] ?? 500, { error: { code, message, ...(details && { details }) } });
}
