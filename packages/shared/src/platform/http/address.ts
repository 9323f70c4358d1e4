import type { IncomingMessage } from 'node:http';

export function isLoopbackAddress(address: string | undefined): boolean {
  return address !== undefined && /^(?:127\.|::1$|::ffff:127\.)/.test(address);
}

/** What a proxy adds; each of them means that the one who asks is somebody else than the socket says. */
const FORWARDED = [
  'x-forwarded-for',
  'forwarded',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
];

/** Not through a proxy, which would be on this host for everybody it speaks for. */
export function isFromThisHost({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): boolean {
  return isLoopbackAddress(socket.remoteAddress) && FORWARDED.every((name) => headers[name] === undefined);
}

/** Under which connections are counted: one IPv4 address, or the /64 of IPv6 that one subscriber has. */
export function addressGroup(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [front = '', back] = address.replace(/%.*$/, '').split('::');
  const left = front === '' ? [] : front.split(':');
  const right = back === undefined || back === '' ? [] : back.split(':');
  const missing = back === undefined ? 0 : 8 - left.length - right.length;
  return [...left, ...Array<string>(Math.max(0, missing)).fill('0'), ...right].slice(0, 4).join(':');
}
