import { describe, expect, test } from 'vitest';
import { readCron, timeZones } from './cron.ts';
import { cronWords } from './cron-words.ts';

describe('an expression in words', () => {
  test.each([
    ['0 9 * * 1-5', 'At 9:00 on weekdays (Mon–Fri)', '平日（月〜金）9:00'],
    ['0 9 * * mon-fri', 'At 9:00 on weekdays (Mon–Fri)', '平日（月〜金）9:00'],
    ['30 18 * * *', 'At 18:30 every day', '毎日 18:30'],
    ['@daily', 'At 0:00 every day', '毎日 0:00'],
    ['*/15 * * * *', 'Every 15 minutes', '15 分ごと'],
    ['* * * * *', 'Every minute', '毎分'],
    ['*/1 * * * *', 'Every minute', '毎分'],
    ['0 */1 * * *', 'Every hour, on the hour', '毎時 0 分'],
    ['0 * * * *', 'Every hour, on the hour', '毎時 0 分'],
    ['5,35 * * * *', 'Every hour, at 5 and 35 minutes past', '毎時 5・35 分'],
    ['0 */2 * * *', 'Every 2 hours', '2 時間ごと'],
    [
      '0 */5 * * *',
      'At 0:00, 5:00, 10:00, 15:00 and 20:00 every day',
      '毎日 0:00、5:00、10:00、15:00、20:00',
    ],
    ['0 9,18 * * *', 'At 9:00 and 18:00 every day', '毎日 9:00、18:00'],
    ['0 9 * * 1', 'At 9:00 every Monday', '毎週月曜日 9:00'],
    ['0 9 * * 1,3,5', 'At 9:00 every Monday, Wednesday and Friday', '毎週月・水・金曜日 9:00'],
    ['0 10 * * 6,7', 'At 10:00 on weekends (Sat, Sun)', '週末（土・日）10:00'],
    ['0 9 1 * *', 'At 9:00 on day 1 of every month', '毎月 1 日 9:00'],
    ['0 9 1,15 * *', 'At 9:00 on days 1 and 15 of every month', '毎月 1・15 日 9:00'],
    ['0 0 1 1 *', 'At 0:00 on day 1 of January', '毎年 1 月 1 日 0:00'],
    ['0 9 1 * 1', 'At 9:00 on day 1 of every month, and every Monday', '毎月 1 日と毎週月曜日 9:00'],
    ['0 9 * 4,10 1', 'At 9:00 every Monday in April and October', '4・10 月の毎週月曜日 9:00'],
    [
      '*/10 9-17 * * 1-5',
      'Every 10 minutes from 9:00 to 17:59, on weekdays (Mon–Fri)',
      '平日（月〜金）9:00〜17:59 の 10 分ごと',
    ],
    ['30 8-18 * * *', 'Every hour from 8:30 to 18:30', '8:30〜18:30 の 1 時間ごと'],
  ])('%s', (cron, english, japanese) => {
    expect(cronWords(cron, 'en')).toBe(english);
    expect(cronWords(cron, 'ja')).toBe(japanese);
  });

  test.each(['0 9 L * *', '0 9 * * 5#2', '*/7 1-3 1 * *', '1,2,3,4,5,6,7 * * * *', '', '0 9', '61 * * * *'])(
    'an expression without a short description gives none: %s',
    (cron) => {
      expect(cronWords(cron, 'ja')).toBeUndefined();
    },
  );
});

describe('the next times', () => {
  const after = new Date('2026-11-22T00:30:00Z');

  test('are those of the time zone', () => {
    const reading = readCron('0 9 * * 1-5', 'Asia/Tokyo', after);
    expect(reading.ok && reading.next.map((at) => at.toISOString())).toEqual([
      '2026-11-23T00:00:00.000Z',
      '2026-11-24T00:00:00.000Z',
      '2026-11-25T00:00:00.000Z',
    ]);
  });

  test.each([
    ['0 9 * *', 'UTC', 'expression'],
    ['0 9 * * * *', 'UTC', 'expression'],
    ['0 25 * * *', 'UTC', 'field'],
    ['99 9 * * 1-5', 'UTC', 'field'],
    ['tomorrow', 'UTC', 'expression'],
    ['0 0 30 2 *', 'UTC', 'never'],
    ['0 9 * * *', 'Mars/Base', 'time_zone'],
  ])('%s in %s is refused: %s', (cron, timeZone, problem) => {
    expect(readCron(cron, timeZone, after)).toEqual({ ok: false, problem });
  });

  test('the used time zone is among the choices', () => {
    expect(timeZones('Asia/Calcutta')).toContain('Asia/Calcutta');
  });
});
