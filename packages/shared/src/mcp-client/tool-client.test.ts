import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { ToolClient } from './tool-client.ts';
import { ToolRefused, ToolUnreachable } from './tool-errors.ts';
import { InvalidTokenError } from './transport-errors.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const messageSchema = z.object({ id: z.number().optional(), method: z.string() });
type Answer = (response: ServerResponse, id: number | undefined) => void;

/** A server of MCP that answers the handshake; calls of tools are the test's. */
async function serve(answerCall: Answer): Promise<ToolClient> {
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { id, method } = messageSchema.parse(JSON.parse(body));
    if (method === 'tools/call') answerCall(response, id);
    else if (id === undefined) response.writeHead(202).end();
    else
      json(response, id, {
        protocolVersion: LATEST_PROTOCOL_VERSION,
        capabilities: { tools: {} },
        serverInfo: { name: 'test', version: '1' },
      });
  };
  const server = createServer((request, response) => void handle(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const client = new ToolClient({
    url: `http://127.0.0.1:${port}/mcp`,
    token: 't',
    name: 'test',
    version: '1',
  });
  stops.push(
    () => {
      server.closeAllConnections();
      server.close();
    },
    () => client.close(),
  );
  return client;
}

function json(response: ServerResponse, id: number | undefined, result: Record<string, unknown>): void {
  const body = JSON.stringify({ jsonrpc: '2.0', id, result });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  response.writeHead(200, headers).end(body);
}

/** Its client has a kept connection, which is closed at the next call; those after it are refused by this code. */
async function serveAfterClose() {
  let calls = -1;
  const refusal = JSON.stringify({ error: { code: 'agent_not_found', message: 'second call' } });
  const client = await serve((response, id) => {
    calls += 1;
    if (calls === 1) response.socket?.resetAndDestroy();
    else json(response, id, { content: [{ type: 'text', text: refusal }], isError: true });
  });
  await expect(client.call('help', {})).rejects.toBeInstanceOf(ToolRefused);
  // The connection is free when the reply has ended, which is in the same tick as its message.
  await new Promise((resolve) => setImmediate(resolve));
  return { client, calls: () => calls };
}

test('a call on a kept connection that is closed is left to its caller', async () => {
  const written = await serveAfterClose();
  const message = { target_agent_id: 'other', content: 'hi' };
  await expect(written.client.call('send_message', message)).rejects.toBeInstanceOf(ToolUnreachable);
  expect(written.calls()).toBe(1);
  const started = await serveAfterClose();
  const membership = { agent_id: 'a', project_id: 'p' };
  await expect(started.client.call('get_agent_action', membership)).rejects.toBeInstanceOf(ToolUnreachable);
  expect(started.calls()).toBe(1);
});

test('a redirect and a reply without end are refusals: another attempt would not help', async () => {
  const redirecting = await serve((response) => void response.writeHead(307, { location: '/away' }).end());
  const redirected = redirecting.call('help', {});
  await expect(redirected).rejects.toBeInstanceOf(ToolRefused);
  await expect(redirected).rejects.toMatchObject({ code: 'http_307' });
  const chunk = Buffer.alloc(1_048_576, ' ');
  const endless = await serve((response) => {
    const send = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.writeHead(200, { 'content-type': 'application/json' }).on('drain', send);
    send();
  });
  await expect(endless.call('help', {})).rejects.toMatchObject({ code: 'reply_too_large' });
});

test('a token that no header can carry is refused at once', () => {
  const make = () => new ToolClient({ url: 'http://a/mcp', token: 'se\ncret', name: 'n', version: '1' });
  expect(make).toThrow(InvalidTokenError);
});
