/**
 * Calls to addresses that a person has typed or a browser has sent. They must not reach what only this host or its network
 * can reach: the address is checked as it is connected to, after its name was resolved, so that a name which resolves to
 * another address the second time gains nothing. No redirect is followed, and nothing of the answer is passed on.
 */
import { lookup as resolve } from 'node:dns';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

export interface OutboundRules {
  /** `name` or `name:port`: may be private, and may be called by http. */
  readonly allowedHosts: readonly string[];
}

export interface OutboundRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
  readonly timeoutMs?: number;
}

export type OutboundResult =
  | { readonly status: number; readonly retryAfterMs?: number }
  | { readonly problem: 'address_not_allowed' | 'not_reachable' | 'timed_out' };

const TIMEOUT_MS = 10_000;
/** Of an answer; it is read only so that the connection ends in order. */
const MAX_ANSWER_BYTES = 64 * 1_024;

/** Whether it may be asked at all; its name is resolved only with the call. */
export function isAllowedUrl(text: string, { allowedHosts }: OutboundRules): boolean {
  const url = URL.parse(text);
  if (url === null) return false;
  if (isNamed(url, allowedHosts)) return url.protocol === 'https:' || url.protocol === 'http:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return url.protocol === 'https:' && (!ipaddr.isValid(host) || isPublic(host));
}

/** Posts once. Every failure is a value: what a person has typed is not an error of the server. */
export function postOutbound(request: OutboundRequest, rules: OutboundRules): Promise<OutboundResult> {
  if (!isAllowedUrl(request.url, rules)) return Promise.resolve({ problem: 'address_not_allowed' });
  const url = new URL(request.url);
  const body = Buffer.from(request.body);
  return new Promise((done) => {
    const call = url.protocol === 'https:' ? requestHttps : requestHttp;
    const outgoing = call(url, {
      method: 'POST',
      headers: { ...request.headers, 'content-length': String(body.length) },
      signal: AbortSignal.timeout(request.timeoutMs ?? TIMEOUT_MS),
      // A connection that is kept would be used again without a look at its address.
      agent: false,
      ...(!isNamed(url, rules.allowedHosts) && { lookup: lookupPublic }),
    });
    outgoing.on('error', (error) => done({ problem: problemOf(error) }));
    outgoing.on('response', (response) => {
      const retryAfter = Number(response.headers['retry-after']);
      done({
        status: response.statusCode ?? 0,
        ...(retryAfter > 0 && { retryAfterMs: retryAfter * 1_000 }),
      });
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_ANSWER_BYTES) outgoing.destroy();
      });
    });
    outgoing.end(body);
  });
}

class PrivateAddress extends Error {}

/** Resolves a name to its public addresses only. */
const lookupPublic: LookupFunction = (name, options, done) => {
  resolve(name, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, '');
    const allowed = addresses.filter(({ address }) => isPublic(address));
    const [first] = allowed;
    if (!first) return done(new PrivateAddress('private address'), '');
    if (options.all) return done(null, allowed);
    done(null, first.address, first.family);
  });
};

function isNamed(url: URL, allowedHosts: readonly string[]): boolean {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const names = [url.hostname, `${url.hostname}:${port}`];
  return allowedHosts.some((host) => names.includes(host.toLowerCase()));
}

/** Whether it is an address of the internet: none of this host, its networks or its cloud. */
export function isPublic(address: string): boolean {
  return ipaddr.process(address).range() === 'unicast';
}

/** The host of virtual machines at Azure: the internet by its number only. */
const OF_THE_CLOUD = new Set(['168.63.129.16']);

/** Public, and not of this host or a network that it is in: what stands there may trust it more than the internet. */
export function isOutside(address: string, interfaces = networkInterfaces()): boolean {
  const parsed = ipaddr.process(address);
  if (!isPublic(address) || OF_THE_CLOUD.has(parsed.toString())) return false;
  const own = Object.values(interfaces).flatMap((entries) => entries ?? []);
  return !own.some(({ cidr }) => {
    if (cidr === null) return false;
    const [network, bits] = ipaddr.parseCIDR(cidr);
    return network.kind() === parsed.kind() && parsed.match(network, bits);
  });
}

function problemOf(error: Error): 'address_not_allowed' | 'not_reachable' | 'timed_out' {
  if (error instanceof PrivateAddress) return 'address_not_allowed';
  return error.name === 'TimeoutError' || error.name === 'AbortError' ? 'timed_out' : 'not_reachable';
}
