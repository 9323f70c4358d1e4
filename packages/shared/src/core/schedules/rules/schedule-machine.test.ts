import { describe, expect, it } from 'vitest';
import {
  decideScheduleRun,
  type MakerStanding,
  makerFault,
  type ScheduleSnapshot,
  type ScheduleSurroundings,
} from './schedule-machine.ts';

const T0 = new Date('2026-01-01T00:00:00Z');
const at = (seconds: number) => new Date(T0.getTime() + seconds * 1_000);
const daily: ScheduleSnapshot = { enabled: true, onMissed: 'skip', nextRunAt: T0 };
const free: ScheduleSurroundings = { projectStatus: 'active', isRunning: false };

describe('what happens at a due time', () => {
  it.each<[string, ScheduleSnapshot, ScheduleSurroundings, number, string]>([
    ['not yet', daily, free, -1, 'not_due'],
    ['its time', daily, free, 0, 'started'],
    ['a little late', daily, free, 60, 'started'],
    ['missed, and skipped', daily, free, 61, 'skipped_missed'],
    ['missed, and made up for once', { ...daily, onMissed: 'once' }, free, 1e6, 'started'],
    ['the last one is not done', daily, { ...free, isRunning: true }, 0, 'skipped_overlap'],
    ['the project is paused', daily, { ...free, projectStatus: 'paused' }, 0, 'skipped_paused'],
    ['paused comes before overlap', daily, { projectStatus: 'paused', isRunning: true }, 0, 'skipped_paused'],
    ['disabled', { ...daily, enabled: false }, free, 0, 'not_due'],
    ['another process was faster', { ...daily, nextRunAt: at(86_400) }, free, 0, 'not_due'],
    ['off', { ...daily, nextRunAt: null }, free, 0, 'not_due'],
  ])('%s', (_name, schedule, around, seconds, expected) => {
    const decision = decideScheduleRun(schedule, around, at(seconds), { due: true });
    expect(decision.ok ? decision.value : decision.refusal).toBe(expected);
  });

  it('a person runs it now: neither the clock nor `enabled` is checked, but overlap and a pause hold', () => {
    const off = { ...daily, enabled: false, nextRunAt: null };
    const now = (around: ScheduleSurroundings) => decideScheduleRun(off, around, T0, { due: false });
    expect(now(free)).toEqual({ ok: true, value: 'started' });
    expect(now({ ...free, isRunning: true })).toEqual({ ok: true, value: 'skipped_overlap' });
    expect(now({ ...free, projectStatus: 'paused' })).toEqual({ ok: true, value: 'skipped_paused' });
  });
});

describe('the person in whose name it runs', () => {
  const of = (accessLevel: MakerStanding['accessLevel'], isMember: boolean, isDeleted = false) =>
    makerFault({ accessLevel, isMember, isDeleted });

  it('that person must be able to write there now', () => {
    expect([of('owner', false), of('owner', true), of('member', true)]).toEqual([null, null, null]);
    expect(of('member', false)).toBe('maker_not_member');
    expect(of('viewer', false)).toBe('maker_not_member');
    expect(of('viewer', true)).toBe('maker_may_not_write');
    expect(of('owner', true, true)).toBe('maker_deleted');
  });
});
