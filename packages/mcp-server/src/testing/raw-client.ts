import type { Server } from 'node:http';
import { connect } from 'node:net';
import { z } from 'zod';

export interface RawCall {
  /** All bytes received so far, headers included. */
  received(): string;
  close(): void;
}

/** A call without any client library, on a connection of its own. */
export function sendCall(
  port: number,
  call: { bearer: string; tool: string; args: Record<string, unknown> },
): RawCall & { readonly answered: Promise<unknown> } {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: call.tool, arguments: call.args },
  });
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('utf8');
  });
  socket.write(
    [
      'POST /mcp HTTP/1.1',
      `Host: 127.0.0.1:${port}`,
      `Authorization: Bearer ${call.bearer}`,
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  );
  const answered = new Promise((resolve) => socket.once('data', resolve));
  return { received: () => text, close: () => socket.destroy(), answered };
}

/** A held call; resolves with the first bytes of the answer. */
export async function openHeldCall(
  port: number,
  options: { bearer: string; holdSeconds: number; tool?: string; args?: Record<string, unknown> },
): Promise<RawCall> {
  const { bearer, holdSeconds, tool = 'get_next_action', args } = options;
  const call = sendCall(port, { bearer, tool, args: { ...args, hold_seconds: holdSeconds } });
  await call.answered;
  return call;
}

/** Resolves when the server has seen the next connection close. */
export function nextConnectionClosed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.once('connection', (socket) => socket.once('close', () => resolve()));
  });
}

/** One tool call as a plain POST without a handshake; returns the result as it is on the wire. */
export async function callTool(
  mcpUrl: string,
  tool: string,
  args: Record<string, unknown>,
  bearer?: string,
): Promise<{ isError: boolean; text: string }> {
  const response = await fetch(mcpUrl, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: tool, arguments: args },
    }),
  });
  const body = await response.text();
  const line = body.split('\n').find((candidate) => candidate.startsWith('data: {'));
  if (response.status !== 200 || line === undefined) throw new Error(`HTTP ${response.status}: ${body}`);
  const { result } = replySchema.parse(JSON.parse(line.slice('data: '.length)));
  return { isError: result.isError === true, text: result.content[0]?.text ?? '' };
}

const replySchema = z.object({
  result: z.object({ isError: z.boolean().optional(), content: z.array(z.object({ text: z.string() })) }),
});
