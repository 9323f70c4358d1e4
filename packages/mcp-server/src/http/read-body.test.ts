import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import { readBody } from './read-body.ts';

test('a client that hangs up in the middle of its body is refused as one, not an error of ours', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    const socket = connect(port, '127.0.0.1');
    socket.write('POST /mcp HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{');
    const [request] = (await once(server, 'request')) as [IncomingMessage];
    const body = readBody(request);
    socket.destroy();
    await expect(body).rejects.toMatchObject({ code: 'invalid_input', message: 'The body was cut off.' });
  } finally {
    server.close();
  }
});
