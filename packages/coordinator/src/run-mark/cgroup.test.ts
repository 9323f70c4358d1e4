import { expect, test } from 'vitest';
import { placesIn } from './cgroup.ts';

const V2 = '30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate';

test('groups are placed below our own group, in version 2 first', () => {
  const own = ['12:pids:/user.slice', '0::/user.slice/user-1000.slice/user@1000.service/app.slice/x.scope'];
  const pids = '31 23 0:27 / /sys/fs/cgroup/pids rw shared:5 - cgroup cgroup rw,pids';
  expect(placesIn([pids, V2], own)).toEqual([
    { version: 2, folder: '/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice/x.scope' },
    { version: 1, folder: '/sys/fs/cgroup/pids/user.slice' },
  ]);
});

test('in a container that sees only a part of the hierarchy', () => {
  const mount = '31 23 0:27 /docker/abc /sys/fs/cgroup/pids ro - cgroup cgroup rw,pids';
  expect(placesIn([mount], ['12:pids:/docker/abc'])).toEqual([{ version: 1, folder: '/sys/fs/cgroup/pids' }]);
  expect(placesIn([mount], ['12:pids:/docker/abcd'])).toEqual([]);
});

test('there is no place where there are no control groups', () => {
  expect(placesIn([], [])).toEqual([]);
  expect(placesIn(['25 1 8:1 / / rw - ext4 /dev/root rw'], ['0::/'])).toEqual([]);
});
