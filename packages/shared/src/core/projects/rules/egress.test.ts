import { expect, test } from 'vitest';
import { isEgressAllowed, isEgressEntry, MAX_EGRESS_ENTRY_LENGTH } from './egress.ts';

const LONGEST_NAME = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`;

test.each([
  'example.org',
  '*.example.org',
  'example.org:8443',
  '*.example.org:65535',
  'xn--r8jz45g.jp',
  'a-b.c1.example',
  '3com.example',
  '192.0.2.1',
  '192.0.2.1:5432',
  '10.0.0.7',
  '[2001:db8::1]',
  '[2001:db8::1]:443',
  LONGEST_NAME,
  `*.${LONGEST_NAME}:65535`,
])('%s is an entry', (text) => expect(isEgressEntry(text)).toBe(true));

test.each([
  ['empty', ''],
  ['a blank', ' example.org'],
  ['a line end', 'example.org\n'],
  ['two of them', 'example.org,example.com'],
  ['a scheme', 'https://example.org'],
  ['a path', 'example.org/x'],
  ['a person before it', 'me@example.org'],
  ['capitals', 'Example.org'],
  ['letters that are not of the DNS', '例え.jp'],
  ['one word', 'localhost'],
  ['a dot at the end', 'example.org.'],
  ['an empty part', 'example..org'],
  ['a part that begins with a sign', '-a.example.org'],
  ['a part that is too long', `${'a'.repeat(64)}.org`],
  ['a name that is too long', `a.${LONGEST_NAME}`],
  ['everything', '*'],
  ['all below one word', '*.org'],
  ['a star inside', 'a.*.org'],
  ['a star in a part', '*a.example.org'],
  ['all below an address', '*.192.0.2.1'],
  ['port 0', 'example.org:0'],
  ['a port with a zero before it', 'example.org:0443'],
  ['a port that is too large', 'example.org:65536'],
  ['a port that is a name', 'example.org:https'],
  ['an address with a zero before a part', '192.0.2.01'],
  ['an address of three parts', '192.0.2'],
  ['a number', '3221225985'],
  ['a number in hexadecimal', '0xc0000201'],
  ['a part that is too large', '192.0.2.256'],
  ['a range', '192.0.2.0/24'],
  ['IPv6 without brackets', '2001:db8::1'],
  ['IPv6 that is not shortened', '[2001:0db8::1]'],
  ['IPv6 that stands for IPv4', '[::ffff:192.0.2.1]'],
  ['IPv6 with a zone', '[fe80::1%eth0]'],
  ['too long', `${'a.'.repeat(MAX_EGRESS_ENTRY_LENGTH)}org`],
])('%s is none', (_what, text) => expect(isEgressEntry(text)).toBe(false));

const LIST = ['example.org', '*.example.net:8443', '192.0.2.1:5432', '[2001:db8::1]'];

test.each([
  ['example.org', 443],
  ['example.org', 80],
  ['EXAMPLE.org', 443],
  ['example.org.', 443],
  ['a.example.net', 8443],
  ['b.a.example.net', 8443],
  ['192.0.2.1', 5432],
  ['::ffff:192.0.2.1', 5432],
  ['[::ffff:c000:201]', 5432],
  ['[2001:db8::1]', 443],
  ['2001:DB8:0:0:0:0:0:1', 80],
])('%s at %s is allowed', (host, port) => expect(isEgressAllowed(LIST, host, port)).toBe(true));

test.each([
  ['another port', 'example.org', 22],
  ['a name below one that is named alone', 'www.example.org', 443],
  ['the name above a star', 'example.net', 8443],
  ['a name below a star at another port', 'a.example.net', 443],
  ['a look-alike behind it', 'example.org.evil.com', 443],
  ['a look-alike before it', 'evil-example.org', 443],
  ['a look-alike of a star', 'evilexample.net', 8443],
  ['two dots at the end', 'example.org..', 443],
  ['a blank', 'example.org ', 443],
  ['a NUL', 'example.org\u0000.evil.com', 443],
  ['a Cyrillic letter', 'ex\u0430mple.org', 443],
  ['a dot that is none', 'example\u3002org', 443],
  ['a person before it', 'example.org@evil.com', 443],
  ['nothing', '', 443],
  ['an address at another port', '192.0.2.1', 443],
  ['an address as a number', '3221225985', 5432],
  ['an address in hexadecimal', '0xc0000201', 5432],
  ['an address with octal parts', '0300.0.2.1', 5432],
  ['an address with a dot at its end', '192.0.2.1.', 5432],
  ['a shortened address', '192.0.513', 5432],
  ['another address', '192.0.2.11', 5432],
  ['an address of IPv6 with a zone', '2001:db8::1%1', 443],
  ['the same address embedded in another', '[64:ff9b::c000:201]', 5432],
  ['a loopback address', '127.0.0.1', 443],
])('%s is not', (_what, host, port) => expect(isEgressAllowed(LIST, host, port)).toBe(false));

test('an empty list allows nothing', () => expect(isEgressAllowed([], 'example.org', 443)).toBe(false));

test('a stored entry that is none allows nothing', () => {
  expect(isEgressAllowed(['*', 'https://example.org', '*.org'], 'example.org', 443)).toBe(false);
});
