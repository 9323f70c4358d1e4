import { once } from 'node:events';
import { connect } from 'node:net';

export interface RawCall {
  /** Everything that came so far, headers included. */
  received(): string;
  close(): void;
}

/** A held get_next_action without any client library; resolves with the first bytes of the answer. */
export async function openHeldCall(
  port: number,
  options: { bearer: string; holdSeconds: number },
): Promise<RawCall> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'get_next_action', arguments: { hold_seconds: options.holdSeconds } },
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
      `Authorization: Bearer ${options.bearer}`,
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  );
  await once(socket, 'data');
  return { received: () => text, close: () => socket.destroy() };
}
