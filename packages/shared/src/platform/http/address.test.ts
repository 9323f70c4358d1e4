import { expect, test } from 'vitest';
import { addressesOf, addressGroup } from './address.ts';

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
  ['172.20.0.0/16', '172.20.0.1', '172.20.255.254', 65_534],
  ['10.1.2.128/25', '10.1.2.129', '10.1.2.254', 126],
  ['192.168.0.0/24', '192.168.0.1', '192.168.0.254', 254],
])('in %s hosts have %s to %s', (network, first, last, count) => {
  const addresses = addressesOf(network);
  expect([addresses.at(0), addresses.at(addresses.count - 1), addresses.count]).toEqual([first, last, count]);
});
