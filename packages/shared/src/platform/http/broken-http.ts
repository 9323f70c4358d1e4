import type { Socket } from 'node:net';
import { AppError } from '../errors.ts';

/** A client that is refused in the middle of its request needs a moment to read the reason. */
const READ_ANSWER_MS = 1_000;

/** A second limit that is exceeded meanwhile must not take the answer away. */
const refused = new WeakSet<Socket>();

/** For `clientError`: input that node could not read as HTTP, or not in time, never becomes a request. */
export function refuseBrokenHttp(error: Error & { code?: string }, socket: Socket): void {
  if (refused.has(socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable || hasBegunToAnswer(socket)) {
    socket.destroy();
    return;
  }
  refused.add(socket);
  // Without this, the rest of the request would be read, and the request executed although it was refused. A handler
  // that begins to read the body resumes its connection.
  socket.pause();
  socket.on('resume', () => socket.pause());
  const [status, refusal] = refusalOf(error.code);
  const body = JSON.stringify({ error: { code: refusal.code, message: refusal.message } });
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
  // `end` alone waits until the other side closes too, which an attacker never does.
  setTimeout(() => socket.destroy(), READ_ANSWER_MS).unref();
}

/** The same for a request that began, and whose connection exceeded a limit of ours before one of node's. */
export function refuseLateRequest(socket: Socket): void {
  refuseBrokenHttp(Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
}

function refusalOf(code: string | undefined): [status: string, refusal: AppError] {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return ['408 Request Timeout', new AppError('invalid_input', 'The request did not arrive in time.')];
    case 'HPE_HEADER_OVERFLOW':
      return [
        '431 Request Header Fields Too Large',
        new AppError('payload_too_large', 'The headers are too large.'),
      ];
    default:
      return ['400 Bad Request', new AppError('invalid_input', 'This is not a valid HTTP request.')];
  }
}

/** A second status line inside an answer would be taken for its body. */
function hasBegunToAnswer(socket: Socket & { _httpMessage?: { headersSent?: boolean } | null }): boolean {
  return socket._httpMessage?.headersSent === true;
}
