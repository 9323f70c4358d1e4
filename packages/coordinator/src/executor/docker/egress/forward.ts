import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import type { KeptRun } from './kept-runs.ts';
import { passedOn } from './passed-on.ts';
import { codeOf, type NoWay, type Target, type Way } from './reach.ts';

export interface ForwardDeps {
  readonly runOf: (socket: Socket) => KeptRun | undefined;
  readonly wayOf: (run: KeptRun, target: Target) => Promise<Way | NoWay>;
}

/** One request of plain HTTP, with a connection of its own. */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { runOf, wayOf }: ForwardDeps,
): Promise<void> {
  const end = (status: number, text: string) => {
    if (response.headersSent) return void response.destroy();
    // What is left of the body is not read as another request.
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
    response.end(`${text}\n`);
  };
  if (request.socket.destroyed) return;
  const run = runOf(request.socket);
  const url = URL.parse(request.url ?? '');
  if (!run || url?.protocol !== 'http:') return end(400, 'An absolute address of http, or CONNECT.');
  const found = await wayOf(run, { host: url.hostname, port: Number(url.port || 80) });
  if ('status' in found) return end(found.status, found.text);
  if (request.socket.destroyed) return;
  const outgoing = httpRequest({
    ...found,
    agent: false,
    method: request.method,
    path: `${url.pathname}${url.search}`,
    headers: [...passedOn(request.rawHeaders), 'Host', url.host, 'Connection', 'close'],
  });
  outgoing.on('socket', (socket) => run.add(socket));
  outgoing.on('error', (error) => end(502, codeOf(error)));
  // Nothing of it was asked for: what it is for is not passed on.
  outgoing.on('upgrade', (_answer, socket) => {
    socket.destroy();
    end(502, 'upgrade');
  });
  outgoing.on('response', (answer) => passBack(answer, response));
  response.on('close', () => outgoing.destroy());
  request.pipe(outgoing);
}

function passBack(answer: IncomingMessage, response: ServerResponse): void {
  try {
    response.writeHead(answer.statusCode ?? 0, passedOn(answer.rawHeaders));
  } catch {
    // What is no answer of HTTP is not passed on.
    return void response.destroy();
  }
  pipeline(answer, response, () => undefined);
}
