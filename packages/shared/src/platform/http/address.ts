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

export interface AddressRange {
  readonly count: number;
  /** From 0. */
  at(index: number): string;
}

/** The addresses that hosts may have in an IPv4 network, as `172.20.0.1` to `172.20.255.254` of `172.20.0.0/16`. */
export function addressesOf(network: string): AddressRange {
  const numberOf = ({ octets }: ipaddr.IPv4) => octets.reduce((sum, octet) => sum * 256 + octet, 0);
  const first = numberOf(ipaddr.IPv4.networkAddressFromCIDR(network)) + 1;
  const count = numberOf(ipaddr.IPv4.broadcastAddressFromCIDR(network)) - first;
  return {
    count,
    at: (index) => [24, 16, 8, 0].map((bits) => ((first + index) >>> bits) % 256).join('.'),
  };
}
