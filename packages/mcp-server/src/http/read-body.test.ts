import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import { readBody } from './read-body.ts';

test('a client that disconnects in the middle of its body causes a refusal and no internal error', async () => {
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

test('a client that reads only after it has sent a body that is too large still receives the refusal', async () => {
  const server = createServer((request, response) => {
    readBody(request).catch((error: unknown) => {
      response.writeHead(413).end(error instanceof Error ? error.message : 'no error');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    const socket = connect(port, '127.0.0.1').pause();
    // More than the buffers of both sides hold.
    const chunk = Buffer.alloc(1_048_576, 'a');
    socket.write(`POST /mcp HTTP/1.1\r\nhost: x\r\ncontent-length: ${16 * chunk.length}\r\n\r\n`);
    for (let sent = 0; sent < 16; sent += 1) if (!socket.write(chunk)) await once(socket, 'drain');
    socket.resume();
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  } finally {
    server.close();
  }
});
