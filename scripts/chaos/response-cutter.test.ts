import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { everyNth, ResponseCutter, theFirstOfEach } from './response-cutter.ts';

let server: Server;
let cutter: ResponseCutter;
/** For each response: whether its connection was alive when the server had written all of it. */
let finished: boolean[];

beforeEach(async () => {
  finished = [];
  server = createServer((request, response) => {
    const { socket } = request;
    response.once('finish', () => finished.push(!socket.destroyed));
    request.resume().once('end', () => response.end('all that the server says'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cutter = await ResponseCutter.open((server.address() as AddressInfo).port);
});
afterEach(async () => {
  await cutter.close();
  server.closeAllConnections();
  server.close();
});

const ask = async () =>
  (await fetch(`http://127.0.0.1:${cutter.port}/mcp`, { method: 'POST', body: 'x' })).text();

it('passes everything until it has a judge', async () => {
  expect(await ask()).toBe('all that the server says');
});

it.each(['lost', 'torn'] as const)('an answer that is %s is finished for the server', async (fate) => {
  cutter.judge = () => fate;
  await expect(ask()).rejects.toThrow();
  expect(finished).toEqual([true]);
  expect(cutter.cuts).toBe(1);
});

it('passes the whole answer to the judge', async () => {
  const heard: string[] = [];
  cutter.judge = (answer) => {
    heard.push(answer);
    return 'arrives';
  };
  expect(await ask()).toBe('all that the server says');
  expect(heard).toEqual(['all that the server says']);
});

it('cuts every n-th answer, every fourth of these in its middle', () => {
  const judge = everyNth(2);
  const fates = Array.from({ length: 8 }, () => judge(''));
  expect(fates).toEqual(['arrives', 'lost', 'arrives', 'lost', 'arrives', 'lost', 'arrives', 'torn']);
});

it('cuts the first answer with each word; its repetition arrives', () => {
  const judge = theFirstOfEach((answer) => answer.split(' '));
  expect(['a', 'a', 'a b', 'b a'].map(judge)).toEqual(['lost', 'arrives', 'lost', 'arrives']);
});
