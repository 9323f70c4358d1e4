import { describe, expect, it } from 'vitest';
import { keys } from './keys.ts';
import { packKeys } from './notifier.ts';

describe('the payloads of NOTIFY', () => {
  it('they contain every key once, each payload below the limit of Postgres', () => {
    const all = Array.from({ length: 2_000 }, (_, index) => keys.membership(`prj_${index}`, `agt_${index}`));
    const payloads = packKeys(all);
    expect(payloads.flatMap((payload) => payload.split(','))).toEqual(all);
    for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8_000);
    expect(payloads.length).toBeLessThan(10);
  });

  it('there is none without keys, and one for one key', () => {
    expect(packKeys([])).toEqual([]);
    expect(packKeys([keys.work])).toEqual(['w']);
  });
});

it('keys of different kinds are never equal', () => {
  const all = [
    keys.membership('prj_a', 'agt_b'),
    keys.membership('prj_a_agt', 'b'),
    keys.log('prj_a'),
    keys.globalLog,
    keys.work,
    keys.settings,
    keys.caller('agt_b'),
  ];
  expect(new Set(all).size).toBe(all.length);
  expect(all.some((key) => key.includes(','))).toBe(false);
});
