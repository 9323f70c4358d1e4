import type { ServerResponse } from 'node:http';
import type { AppError } from '@aizuchi/shared/platform/errors';
import { HTTP_STATUS } from '@aizuchi/shared/platform/http/http-status';

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

/** Refusals before the MCP layer. Everything that a tool refuses is a result (tool-error.ts). */
export function sendError(response: ServerResponse, error: AppError): void {
  const { code, message, details, retryAfterSeconds } = error;
  if (code === 'unavailable' || code === 'rate_limited')
    response.setHeader('Retry-After', retryAfterSeconds ?? 1);
  sendJson(response, HTTP_STATUS[code], { error: { code, message, ...(details && { details }) } });
}
