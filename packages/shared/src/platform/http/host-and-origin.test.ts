import { expect, test } from 'vitest';
import { AppError } from '../errors.ts';
import { PlaceCheck, type PlaceRules } from './host-and-origin.ts';

const LOCAL: PlaceRules = { allowedHosts: [], port: () => 4100, isLoopback: true };
const PUBLIC: PlaceRules = {
  publicUrl: 'https://aizuchi.example',
  allowedHosts: ['backup.example', 'Other.example:8443', '[2001:db8::1]'],
  port: () => 4100,
  isLoopback: false,
};

test.each<[string, PlaceRules, string | undefined, string]>([
  ['our loopback name', LOCAL, '127.0.0.1:4100', 'ok'],
  ['localhost, however written', LOCAL, 'LocalHost:4100', 'ok'],
  ['IPv6 loopback', LOCAL, '[::1]:4100', 'ok'],
  ['another port of this host', LOCAL, 'localhost:5173', 'host_not_allowed'],
  ['no port where ours is not 80', LOCAL, 'localhost', 'host_not_allowed'],
  ['a name that points here (DNS rebinding)', LOCAL, 'evil.example:4100', 'host_not_allowed'],
  ['a name that begins like ours', LOCAL, 'localhost.evil.example:4100', 'host_not_allowed'],
  ['no Host at all', LOCAL, undefined, 'host_not_allowed'],
  ['an empty Host', LOCAL, '', 'host_not_allowed'],
  ['no port where ours is 80', { ...LOCAL, port: () => 80 }, 'localhost', 'ok'],
  ['the public URL', PUBLIC, 'aizuchi.example', 'ok'],
  ['the public URL with its port', PUBLIC, 'aizuchi.example:443', 'ok'],
  ['an allowed host, any port', PUBLIC, 'backup.example:1234', 'ok'],
  ['an allowed host with its port', PUBLIC, 'other.example:8443', 'ok'],
  ['an allowed host, but another port', PUBLIC, 'other.example:80', 'host_not_allowed'],
  ['an allowed IPv6 address', PUBLIC, '[2001:db8::1]:4100', 'ok'],
  ['this host itself, behind a public URL', PUBLIC, 'localhost:4100', 'ok'],
  ['a stranger', PUBLIC, 'evil.example', 'host_not_allowed'],
])('Host: %s', (_what, rules, host, expected) => {
  expect(outcome(rules, { host })).toBe(expected);
});

test.each<[string, PlaceRules, string | undefined, string]>([
  ['none', LOCAL, undefined, 'ok'],
  ['our page', LOCAL, 'http://localhost:4100', 'ok'],
  ['our page by address', LOCAL, 'http://127.0.0.1:4100', 'ok'],
  ['our page by IPv6', LOCAL, 'http://[::1]:4100', 'ok'],
  ['null (a sandboxed frame, a file)', LOCAL, 'null', 'origin_not_allowed'],
  ['another port', LOCAL, 'http://localhost:5173', 'origin_not_allowed'],
  ['another scheme', LOCAL, 'https://localhost:4100', 'origin_not_allowed'],
  ['another site', LOCAL, 'http://evil.example', 'origin_not_allowed'],
  ['nonsense', LOCAL, 'localhost:4100', 'origin_not_allowed'],
  ['empty', LOCAL, '', 'origin_not_allowed'],
])('Origin on loopback: %s', (_what, rules, origin, expected) => {
  expect(outcome(rules, { host: 'localhost:4100', origin })).toBe(expected);
});

test.each<[string, string, string]>([
  ['the public URL', 'https://aizuchi.example', 'ok'],
  ['the public URL without TLS', 'http://aizuchi.example', 'origin_not_allowed'],
  ['an allowed host', 'https://backup.example', 'ok'],
  ['an allowed host with its port', 'https://other.example:8443', 'ok'],
  ['an allowed host with another port', 'https://other.example', 'origin_not_allowed'],
  ['a visitor’s own loopback', 'http://localhost:4100', 'origin_not_allowed'],
  ['a page in an extension', 'chrome-extension://abc', 'origin_not_allowed'],
])('Origin behind a public URL: %s', (_what, origin, expected) => {
  expect(outcome(PUBLIC, { host: 'aizuchi.example', origin })).toBe(expected);
});

function outcome(
  rules: PlaceRules,
  headers: { host?: string | undefined; origin?: string | undefined },
): string {
  try {
    new PlaceCheck(rules).check(headers);
    return 'ok';
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
}
