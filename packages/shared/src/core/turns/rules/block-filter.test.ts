import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BlockFilter } from './block-filter.ts';

const PACK =
  '{"SearchResultPack":{"selected":[{"type":"event","event_id":"evt_1","state_id":null,"affect_id":null,"why":"a } in it","snippet":"She said \\"hi\\" {"}]}}';
const TIME =
  '{"TimeContext":{"now":"2026-01-10T14:06:59+09:00","last_chat_created_at":null,"gap_seconds":null}}';
const MOOD = '{"LongMoodState":{"body_text":"calm","vad":{"v":0.1,"a":0,"d":0},"last_confirmed_at":"2026"}}';
const pretty = (json: string) => JSON.stringify(JSON.parse(json), null, 2);

function filtered(pieces: readonly string[]): string {
  const filter = new BlockFilter();
  return pieces.map((piece) => filter.push(piece)).join('') + filter.end();
}

/** Every form in which a model may print a block, each with what is left of it. */
const LEAKS: readonly [string, string, string][] = [
  ['as it was given', PACK, ''],
  ['another one', TIME, ''],
  ['the mood', MOOD, ''],
  ['no mood', '{"LongMoodState":null}', ''],
  ['pretty', pretty(PACK), ''],
  ['spaces before the key', '{ \n "TimeContext" : {"now":"x"} }', ''],
  ['in a code fence', `\`\`\`json\n${pretty(TIME)}\n\`\`\``, ''],
  ['escaped', JSON.stringify(TIME), '""'],
  ['with single quotes', "{'TimeContext': {'now': 'it}s', 'gap_seconds': 4}}", ''],
  ['as a script writes it', '{TimeContext: {now: "x", gap_seconds: 3}}', ''],
  ['not as the first key', '{"a":1,"TimeContext":{"now":"x"}}', ''],
  ['inside another object', `{"context":${TIME},"b":2}`, ''],
  ['without its name', '{"now":"x","last_chat_created_at":"y","gap_seconds":5}', ''],
  ['an item alone', '{"type":"event","event_id":"evt_1","state_id":null,"why":"w","snippet":"s"}', ''],
  ['the mood without its name', '{"body_text":"calm","vad":{"v":1}}', ''],
  ['assigned', 'TimeContext = {"now": "x"}', ''],
  ['behind a heading', '**TimeContext**: {"now": "x"}', ''],
  ['as an array', 'SearchResultPack: [{"a": 1}]', ''],
  ['null behind a name', 'LongMoodState: null', ''],
  ['in snake case', '{"search_result_pack": {"selected": []}}', ''],
  ['as lines', 'TimeContext:\n  now: x\n  gap_seconds: 5\n\n', ''],
  ['as a tag', '<TimeContext>\nnow: x\n</TimeContext>', ''],
  ['cut in its value', TIME.slice(0, 40), ''],
  ['cut in its key', '{"TimeCon', ''],
];

describe.each(LEAKS)('a block %s', (_form, leak, left) => {
  test.each([
    ['', ''],
    ['Here it is: ', ''],
    ['ここです。\n', ''],
  ])('does not pass behind %j', (before) => {
    expect(filtered([before + leak])).toBe(before + left);
  });

  test('does not pass wherever the text is cut', () => {
    for (let cut = 1; cut < leak.length; cut += 1)
      expect(filtered(['A. ', leak.slice(0, cut), leak.slice(cut)])).toBe(`A. ${left}`);
    expect(filtered(['A. ', ...leak])).toBe(`A. ${left}`);
  });
});

test('what stands around blocks passes', () => {
  expect(filtered([`Before ${PACK} between ${TIME} after.`])).toBe('Before  between  after.');
  expect(filtered(['TimeContext:\n  now: x\n\nHello.'])).toBe('Hello.');
  expect(filtered([`\`\`\`\n${TIME}\n\`\`\`\nHello.`])).toBe('\nHello.');
});

test.each([
  'Plain text, with times and long moods and contexts.',
  'Time is money. Time context matters; long mood stated.',
  'A brace { alone, an emoji {} and {x}.',
  'const f = (a) => { return { b: a }; };',
  '```js\nfunction f() { return {}; }\n```\ndone',
  '{"name":"Taro","tags":["a","b"],"now":"x"}',
  '```json\n{"a": {"b": 1}}\n```',
  'Say {"hello" or not.',
  'The type `TimeContext` is described in the docs.',
  'Use "TimeContext" there.',
  'ends with {"a":',
  'ends with time',
  'ends with ```',
  '- time\n- money\n',
  '**bold** and *stars* and __lines__',
  '<b>tags</b> <time',
])('ordinary text passes unchanged, however it is cut: %j', (text) => {
  expect(filtered([text])).toBe(text);
  expect(filtered([...text])).toBe(text);
});

test('ordinary text is not held back', () => {
  const filter = new BlockFilter();
  expect(filter.push('こんにちは、')).toBe('こんにちは、');
  expect(filter.push('Taro. ')).toBe('Taro. ');
});

test.each([
  ['an object of blanks', `{${' '.repeat(20_000)}`],
  ['a code fence of blanks', `\`\`\`${' '.repeat(20_000)}`],
  ['marks before no name', '*'.repeat(2_000)],
  ['blanks at the start of a line', `\n${' '.repeat(2_000)}`],
])('what cannot become a block any more is said before the end: %s', (_what, text) => {
  for (const pieces of [[text], text.match(/.{1,500}/gs) ?? []]) {
    const filter = new BlockFilter();
    const said = pieces.map((piece) => filter.push(piece)).join('');
    expect(said.length).toBeGreaterThan(text.length - 500);
    expect(said + filter.end()).toBe(text);
  }
});

test.each(['*', ' ', '\n', '> ', '`'])('a run of %j costs little', (unit) => {
  const run = unit.repeat(50_000 / unit.length);
  const begun = performance.now();
  expect(filtered([run, 'x'])).toBe(`${run}x`);
  expect(performance.now() - begun).toBeLessThan(10_000);
});

test('a blank before a fence with a heading goes with it, also when it comes first', () => {
  for (const pieces of [[' ```Time Context\n'], [' ```', 'Time Context\n'], [...' ```Time Context\n']])
    expect(filtered(pieces)).toBe('');
});

test('a text in quotes behind a brace is no key of ours when no colon follows it, however it is cut', () => {
  for (const text of ['{"TimeContext: "a ', `{"${PACK} "a`]) {
    const whole = filtered([text]);
    for (let cut = 1; cut < text.length; cut += 1)
      expect(filtered([text.slice(0, cut), text.slice(cut)])).toBe(whole);
  }
  expect(filtered(['{"TimeContext: "a '])).toBe('{"TimeContext: "a ');
});

test('what follows null behind a name passes, also where a block stands before the name', () => {
  expect(filtered([`**${TIME}TimeContext: null tail`])).toBe('** tail');
});

test('the result does not depend on where the text is cut', () => {
  const parts = [
    'a ',
    '{',
    '}',
    '"',
    'Time',
    'Context',
    ': ',
    '\n',
    '```',
    PACK,
    TIME,
    '<',
    '>',
    '**',
    'null',
    ' ',
  ];
  const texts = fc
    .array(fc.constantFrom(...parts), { maxLength: 12, size: 'max' })
    .map((some) => some.join(''));
  fc.assert(
    fc.property(texts, fc.array(fc.nat(400), { maxLength: 8 }), (text, cuts) => {
      const at = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
      const pieces = at.slice(1).map((end, index) => text.slice(at[index], end));
      expect(filtered(pieces)).toBe(filtered([text]));
    }),
    { numRuns: 5_000 },
  );
});
