import { expect, test } from 'vitest';
import { type Pulling, PullReports } from './pull-reports.ts';

const at = (percent: number): Pulling[] => [{ run_id: 'run_1', percent }];

function reports() {
  let pulling: Pulling[] = [];
  return {
    reports: new PullReports(() => pulling),
    set: (some: Pulling[]) => {
      pulling = some;
    },
  };
}

test('nothing is told as long as no run waits for its image', () => {
  const { reports: none } = reports();
  expect([none.changed(), none.isAny]).toEqual([undefined, false]);
});

test('each change is told until the server has it, also that no run waits any more', () => {
  const { reports: some, set } = reports();
  set(at(40));
  expect([some.changed(), some.changed(), some.isAny]).toEqual([at(40), at(40), true]);
  some.told(at(40));
  expect([some.changed(), some.isAny]).toEqual([undefined, true]);
  set(at(50));
  expect(some.changed()).toEqual(at(50));
  some.told(at(50));
  set([]);
  expect([some.changed(), some.isAny]).toEqual([[], false]);
  some.told([]);
  expect(some.changed()).toBeUndefined();
});

test('a server that does not know it is told nothing any more, and not asked more often', () => {
  const { reports: some, set } = reports();
  set(at(40));
  some.notUnderstood();
  expect([some.changed(), some.isAny]).toEqual([undefined, false]);
});
