import { expect, test } from 'vitest';
import { addressGroup, lastAddressOf } from './address.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::9', '2001:db8:1:2'],
  ['2001:db8::9', '2001:db8:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
  ['::ffff:c000:207', '192.0.2.7'],
  ['2001:0DB8:0001:2::9', '2001:db8:1:2'],
  ['64:ff9b::192.0.2.7', '64:ff9b:0:0'],
  ['', ''],
  ['unknown', 'unknown'],
])('%s is counted under %s', (address, group) => {
  expect(addressGroup(address)).toBe(group);
});

test.each([
  ['172.20.0.0/16', '172.20.255.254'],
  ['10.1.2.128/25', '10.1.2.254'],
])('the last address of a host in %s is %s', (network, address) => {
  expect(lastAddressOf(network)).toBe(address);
});
