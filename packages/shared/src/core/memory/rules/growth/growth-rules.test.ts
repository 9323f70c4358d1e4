import { expect, test } from 'vitest';
import { aboutTimeOf, startOfDay } from './about-time.ts';
import { affectOf } from './affect-words.ts';
import { claimsOf } from './claims.ts';
import { withoutCommand } from './command-words.ts';
import { dueDayOf } from './due-day.ts';
import { entitiesOf } from './entities.ts';
import { moodAt, moodOf, moodsAfter } from './mood.ts';
import { LONGEST_SENTENCE, sentencesOf } from './sentences.ts';

const AT = new Date('2026-03-01T20:00:00Z');

test.each([
  ['Remember that my cat is called Tama.', 'my cat is called Tama.'],
  ['please remember: the code is 42', 'the code is 42'],
  ['猫の名前はタマだということを覚えておいてください。', '猫の名前はタマだ'],
  ['覚えておいて：会議は金曜日です', '会議は金曜日です'],
  ['I remember my school.', 'I remember my school.'],
])('a text is remembered without its command: %s', (text, bare) => {
  expect(withoutCommand(text)).toBe(bare);
});

test.each([
  ['My favourite colour is blue.', 'favourite colour', 'blue'],
  ['Actually, I moved to Kyoto.', 'home', 'kyoto'],
  ["I don't like coffee.", 'like:coffee', 'dislike'],
  ['コーヒーは苦手です。', 'like:コーヒー', 'dislike'],
  ['大阪に住んでいます。', 'home', '大阪'],
  ['好きな食べ物はラーメンです。', '好きな食べ物', 'ラーメン'],
])('what a sentence tells: %s', (text, about, value) => {
  expect(claimsOf(text)).toMatchObject([{ about, value }]);
});

test.each(['What is my name?', '私の名前は何ですか。', 'How are you?', '今日は雨です。', ''])(
  'nothing is told by: %s',
  (text) => {
    expect(claimsOf(text)).toEqual([]);
  },
);

test('of a text of a megabyte without an end no sentence is made, and it takes no time to see that', () => {
  for (const piece of ['a', 'word ', '猫', 'I like tea, and ', '「'])
    for (const read of [sentencesOf, claimsOf, entitiesOf]) {
      const found = read(piece.repeat(1_000_000 / piece.length));
      expect(found.length).toBeLessThan(100);
    }
  expect(sentencesOf(`${'x'.repeat(LONGEST_SENTENCE + 1)}. Short.`)).toEqual(['Short.']);
});

test('a day is one of the time zone', () => {
  expect(aboutTimeOf('yesterday', AT, 'Asia/Tokyo')).toMatchObject({
    aboutStart: new Date('2026-02-28T15:00:00Z'),
    aboutEnd: new Date('2026-03-01T15:00:00Z'),
  });
  expect(aboutTimeOf('yesterday', AT, 'UTC')).toMatchObject({ aboutStart: new Date('2026-02-28T00:00:00Z') });
  expect(dueDayOf('by tomorrow', AT, 'Asia/Tokyo')).toBe('2026-03-03');
  expect(dueDayOf('3月5日までに', AT, 'Asia/Tokyo')).toBe('2026-03-05');
  expect(startOfDay('2026-03-29', 'Europe/Berlin')).toEqual(new Date('2026-03-28T23:00:00Z'));
});

test.each([
  ['It was in 2019.', 2019, ''],
  ['小学生のころ', null, 'elementary'],
  ['3年前に大学で', 2023, 'university'],
  ['It cost 2019 yen.', null, ''],
])('what time a text is about: %s', (text, year, lifeStage) => {
  const about = aboutTimeOf(text, AT, 'UTC');
  expect([about?.aboutYearStart ?? null, about?.lifeStage ?? '']).toEqual([year, lifeStage]);
});

test('a feeling that is denied is none', () => {
  expect(affectOf('I am so happy')?.labels).toEqual(['joy']);
  expect(affectOf('I am not happy')).toBeNull();
  expect(affectOf('悲しいです')?.vad.v).toBeLessThan(0);
});

test('a shock fades within hours, and what lasts stays', () => {
  const mood = moodOf([{ at: AT, vad: { v: -1, a: 1, d: 0 }, confidence: 1 }]);
  if (!mood) throw new Error('nothing was felt');
  const after = (hours: number) => moodAt(mood, new Date(AT.getTime() + hours * 3_600_000)).v;
  expect(after(0)).toBeLessThan(-0.8);
  expect(after(24)).toBeGreaterThan(after(1));
  expect(after(1_000)).toBeCloseTo(-0.5);
  expect(mood.shockHalfLifeSeconds).toBeGreaterThanOrEqual(3_600);
  expect(mood.shockHalfLifeSeconds).toBeLessThanOrEqual(86_400);
  expect(moodOf([])).toBeNull();
});

test('the mood is known after each moment, and what nobody is sure of changes nothing', () => {
  const later = new Date(AT.getTime() + 3_600_000);
  const sad = { at: AT, vad: { v: -0.5, a: 0, d: 0 }, confidence: 1 };
  const [first, second] = moodsAfter([sad, { at: later, vad: { v: 1, a: 0, d: 0 }, confidence: 0 }]);
  expect(first?.v).toBeLessThan(-0.4);
  expect(second?.v).toBeLessThan(0);
  expect(second?.v).toBeGreaterThan(first?.v ?? 0);
});
