import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

export function isLoopbackAddress(address: string | undefined): boolean {
  return address !== undefined && /^(?:127\.|::1$|::ffff:127\.)/.test(address);
}

/** Headers that a proxy adds; each of them means that the client is not the peer of the socket. */
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

/**
 * The key under which connections are counted: one IPv4 address, or the /64 of IPv6 that one subscriber has,
 * in any notation. A value that is not an address is counted unchanged.
 */
export function addressGroup(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':');
}

/** The last address that a host may have in an IPv4 network, as `172.20.255.254` of `172.20.0.0/16`. */
export function lastAddressOf(network: string): string {
  const [a, b, c, broadcast] = ipaddr.IPv4.broadcastAddressFromCIDR(network).octets;
  return [a, b, c, (broadcast ?? 0) - 1].join('.');
}
