import { createScheduleBodySchema, type Schedule } from '@aizuchi/shared/contract/schedule';
import { firstTime } from '@aizuchi/shared/core/schedules/schedule-times';
import { describe, expect, test } from 'vitest';
import { bodyOf, draftOf, MAX_PROMPT_LENGTH, promptProblem } from './schedule-draft.ts';

const now = new Date('2026-11-22T00:30:00Z');
const filled = { ...draftOf(undefined, 'agt_a'), prompt: 'Check all links.', timeZone: 'Asia/Tokyo' };

const serverTakes = (body: unknown): boolean => {
  const { success, data } = createScheduleBodySchema.safeParse(body);
  if (!success) return false;
  try {
    firstTime(data.cron, data.timeZone ?? 'UTC', now);
    return true;
  } catch {
    return false;
  }
};

describe('the form validates like the server', () => {
  test.each([
    {},
    { cron: ' 0 9 * * 1-5 ' },
    { cron: '@daily' },
    { cron: '0 9 L * *' },
    { cron: '0 9 * *' },
    { cron: '0 9 * * * *' },
    { cron: '0 0 9 * * * 2030' },
    { cron: '2030-01-01T00:00:00' },
    { cron: '0 0 30 2 *' },
    { cron: '61 * * * *' },
    { cron: '' },
    { timeZone: 'Mars/Base' },
    { prompt: ' \n ' },
    { prompt: '字'.repeat(MAX_PROMPT_LENGTH) },
    { prompt: '😀'.repeat(MAX_PROMPT_LENGTH) },
    { prompt: '字'.repeat(MAX_PROMPT_LENGTH + 1) },
    { agentId: '' },
  ])('%j', (change) => {
    const draft = { ...filled, ...change };
    expect(bodyOf(draft, now) !== undefined).toBe(serverTakes(draft));
  });

  test('the server accepts what the form sends', () => {
    expect(serverTakes(bodyOf({ ...filled, prompt: ' Check.\n' }, now))).toBe(true);
  });
});

test('an edited schedule keeps its values', () => {
  const schedule: Schedule = {
    id: 'sch_a',
    projectId: 'prj_a',
    agentId: 'agt_a',
    cron: '@daily',
    timeZone: 'UTC',
    prompt: 'Sum up.',
    enabled: false,
    createdBy: 'owner',
    onMissed: 'once',
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
  };
  expect(bodyOf(draftOf(schedule, 'agt_b'), now)).toEqual({
    agentId: 'agt_a',
    cron: '@daily',
    timeZone: 'UTC',
    prompt: 'Sum up.',
    enabled: false,
    onMissed: 'once',
  });
});

test('a missing or too long prompt is reported', () => {
  expect(promptProblem(' ')).toBe('promptRequired');
  expect(promptProblem('x'.repeat(MAX_PROMPT_LENGTH + 1))).toBe('promptTooLong');
  expect(promptProblem('x')).toBeUndefined();
});
