import { expect, test } from 'vitest';
import { isOutside } from './outbound.ts';

const of = (cidr: string, family: 'IPv4' | 'IPv6') => ({
  address: cidr.split('/')[0] ?? '',
  netmask: '',
  mac: '',
  internal: false,
  cidr,
  ...(family === 'IPv4' ? { family } : { family, scopeid: 0 }),
});
const own = { eth0: [of('203.0.114.7/24', 'IPv4'), of('2a01:4f8:1::7/64', 'IPv6')] };

test.each([
  ['203.0.114.7', false],
  ['203.0.114.9', false],
  ['::ffff:203.0.114.9', false],
  ['203.0.115.9', true],
  ['2a01:4f8:1::1', false],
  ['2a01:4f8:2::1', true],
  ['168.63.129.16', false],
  ['::ffff:168.63.129.16', false],
  ['::ffff:a83f:8110', false],
  ['10.0.0.1', false],
  ['127.0.0.1', false],
])('%s is outside of this host and its networks: %s', (address, is) => {
  expect(isOutside(address, own)).toBe(is);
});
