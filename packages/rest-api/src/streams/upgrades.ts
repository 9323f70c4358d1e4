import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** Of one hop (RFC 9110 §7.6.1): they belong to the upgrade that is not made. */
const OF_AN_UPGRADE = new Set(['upgrade', 'http2-settings', 'connection']);

/**
 * The upgrades to WebSocket of this server, as a server that does not listen. While anything listens to the upgrades of a
 * server, node takes every request with an Upgrade header out of HTTP. `curl --http2` and Java's client send one with
 * every request, and a server ignores a protocol that it does not speak (RFC 9110 §7.8): such a request is given back
 * to node without the header.
 */
export function websocketUpgradesOf(server: Server): Server {
  const websockets = createServer();
  server.on('upgrade', (request, socket, head) => {
    if (request.headers.upgrade?.toLowerCase() === 'websocket')
      websockets.emit('upgrade', request, socket, head);
    else giveBack(server, request, socket, head);
  });
  return websockets;
}

function giveBack(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  socket.unshift(Buffer.concat([Buffer.from(withoutUpgrade(request), 'latin1'), head]));
  server.emit('connection', socket);
}

/** The head of the request as it came, without what asked for the upgrade. */
function withoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    if (!OF_AN_UPGRADE.has(name.toLowerCase())) lines.push(`${name}: ${value}`);
    else if (/^connection$/i.test(name) && /\bclose\b/i.test(value)) lines.push('Connection: close');
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}
