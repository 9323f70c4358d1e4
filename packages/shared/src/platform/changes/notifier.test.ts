import { describe, expect, it } from 'vitest';
import { keys } from './keys.ts';
import { packKeys } from './notifier.ts';

describe('the payloads of NOTIFY', () => {
  it('carry every key once, each payload below what Postgres takes', () => {
    const all = Array.from({ length: 2_000 }, (_, index) => keys.membership(`prj_${index}`, `agt_${index}`));
    const payloads = packKeys(all);
    expect(payloads.flatMap((payload) => payload.split(','))).toEqual(all);
    for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8_000);
    expect(payloads.length).toBeLessThan(10);
  });

  it('are none for nothing, and one for one', () => {
    expect(packKeys([])).toEqual([]);
    expect(packKeys([keys.work])).toEqual(['w']);
  });
});

it('keys of different things never meet', () => {
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
