import fc from 'fast-check';
import { expect, test } from 'vitest';
import { codeRanges } from './code-ranges.ts';
import { findMentions, mayMention } from './find-mentions.ts';

const WHO = [
  { id: 'agt_ann', name: 'Ann' },
  { id: 'agt_lee', name: 'Ann Lee' },
  { id: 'takahashi', name: '高橋' },
  { id: 'ichiro', name: '高橋 一郎' },
  { id: 'agt_jose', name: 'José' },
  { id: 'agt_kim1', name: 'Kim' },
  { id: 'agt_kim2', name: 'kim' },
  { id: 'agt_two1', name: 'Two' },
  { id: 'agt_two2', name: 'Two' },
  { id: 'agt_kana', name: 'ワーカー' },
];
const idsIn = (text: string) => findMentions(text, WHO).map(({ id }) => id);

test.each([
  ['@Ann', ['agt_ann']],
  ['Ask @ann, then @ANN.', ['agt_ann', 'agt_ann']],
  ['Ask @Ann Lee now', ['agt_lee']],
  ['@Ann Leeds', ['agt_ann']],
  ['（@高橋さん、お願いします）', ['takahashi']],
  ['確認お願いします@高橋 一郎さん', ['ichiro']],
  ['@ワーカーに聞いて', ['agt_kana']],
  ['@Annさん @Takahashi-san @takahashi-san', ['agt_ann', 'takahashi', 'takahashi']],
  ['@José and @Jose\u0301', ['agt_jose', 'agt_jose']],
  ['**@Ann**, (@Ann)', ['agt_ann', 'agt_ann']],
  ['A 5" screen, @Ann, or a 6" one', ['agt_ann']],
  ['"not closed, @Ann', ['agt_ann']],
  ['「閉じていない、@Ann', ['agt_ann']],
  ['"yes", @Ann, "no"', ['agt_ann']],
  ['set x="" then @Ann set y=""', ['agt_ann']],
  ['部長は"至急！" @高橋 さん、返事は"はい"で', ['takahashi']],
  ['"@Ann" please, 「@高橋」さんも', ['agt_ann', 'takahashi']],
  ['@agt_two1 is an id', ['agt_two1']],
  ['@Kim @kim', ['agt_kim1', 'agt_kim2']],
  ['    @Ann after nothing, then text\nas `code` @Ann', ['agt_ann']],
  ['`not closed @Ann\n\n` @Ann', ['agt_ann', 'agt_ann']],
  ['``` in a line ``` @Ann', ['agt_ann']],
  ['https://example.comを見て@Ann', ['agt_ann']],
  ['> what was said\n@Ann', ['agt_ann']],
  ['a > b @Ann', ['agt_ann']],
])('%j mentions', (text, ids) => {
  expect(idsIn(text)).toEqual(ids);
  expect(mayMention(text)).toBe(true);
});

test.each([
  ['@Annabel', 'another name'],
  ['@Аnn', 'a Cyrillic letter that looks like A'],
  ['@A\u200bnn', 'an invisible character within'],
  ['@Ann\u0301', 'an accent on the last letter'],
  ['@Two', 'two have this name'],
  ['@KIM', 'two have it without upper case'],
  ['@ Ann', 'a space'],
  ['＠Ann', 'another character'],
  ['me@Ann', 'an e-mail address'],
  ['me.and+you@ann', 'an e-mail address'],
  ['@ann@example.com', 'an account elsewhere'],
  ['@ann.example', 'a host'],
  ['josé@Ann', 'an e-mail address with an accent'],
  ['https://example.com/@Ann', 'a URL'],
  ['see www.example.com/?by=@Ann', 'a URL'],
  ['[x](/by/@Ann)', 'a path'],
  ['mailto:@Ann', 'an address'],
  ['\\@Ann', 'escaped'],
  ['`@Ann`', 'code'],
  ['``a ` @Ann``', 'code with a backtick'],
  ['a\n```ts\n@Ann\n```', 'a fenced block'],
  ['~~~\n```\n@Ann', 'a fenced block that is not closed'],
  ['- ```\n  @Ann\n  ```', 'a fenced block of a list'],
  ['text\n\n    @Ann', 'an indented block'],
  ['> @Ann', 'a quotation'],
  ['It was:\n> please,\n> > @Ann', 'a quotation in a quotation'],
  ['About "ask @Ann":', 'quotation marks'],
  ['He said “ask @Ann”.', 'quotation marks'],
  ['「『@Ann』に聞いて、@高橋」について', 'quotation marks within others'],
  ['He said "a" and "ask @Ann"', 'the second of two quotations'],
  ['1. > @Ann', 'a quotation of a list'],
  ['>```\n>@Ann\n>```', 'code of a quotation'],
])('%j mentions nobody: %s', (text) => {
  expect(idsIn(text)).toEqual([]);
});

const name = fc
  .string({
    unit: fc.constantFrom('a', 'B', 'é', '高', 'ー', ' ', '-', '.', '🎌', 'İ'),
    minLength: 1,
    maxLength: 6,
  })
  .map((text) => text.trim())
  .filter((text) => text !== '');
const people = fc
  .uniqueArray(name, { minLength: 1, maxLength: 5, selector: (one) => one.toLowerCase() })
  .map((names) => names.map((one, n) => ({ id: `agt_${n}`, name: one })));
const anyText = fc.string({
  unit: fc.constantFrom(
    '@',
    '`',
    '~',
    '\n',
    ' ',
    'a',
    'B',
    'é',
    '高',
    'ー',
    '.',
    '/',
    '\\',
    '🎌',
    'https://',
    '    ',
  ),
  maxLength: 60,
  size: 'max',
});

test('what is found is an @ with a name of that one behind it, in order, never within code', () => {
  fc.assert(
    fc.property(anyText, people, (text, who) => {
      const found = findMentions(text, who);
      const code = codeRanges(text);
      let from = 0;
      for (const { start, end, id } of found) {
        expect(start).toBeGreaterThanOrEqual(from);
        from = end;
        expect(text[start]).toBe('@');
        const one = who.find((candidate) => candidate.id === id);
        const written = text
          .slice(start + 1, end)
          .toLowerCase()
          .normalize('NFC');
        expect([one?.name.toLowerCase().normalize('NFC'), id]).toContain(written);
        expect(code.some((range) => range.start < end && start < range.end)).toBe(false);
      }
      if (found.length > 0) expect(mayMention(text)).toBe(true);
    }),
  );
});

test('everybody is found by name between words, and nobody in code', () => {
  fc.assert(
    fc.property(people, fc.nat(), (who, pick) => {
      const one = who[pick % who.length];
      if (!one) return;
      const found = findMentions(`Ask @${one.name} please`, who);
      // With "please" no longer name of another can be meant.
      expect(found).toEqual([{ start: 4, end: 5 + one.name.length, id: one.id }]);
      expect(findMentions(`\`@${one.name}\``, who)).toEqual([]);
      expect(findMentions(`\`\`\`\n@${one.name}\n\`\`\``, who)).toEqual([]);
    }),
  );
});

test.each(['@', '`', '"', '「', '“a”', '> ', '@a', '` `` ', 'a', '~~~\n', ' @Ann `', 'https://@', '\n \r'])(
  'a hundred thousand characters of %j are read at once',
  (part) => {
    const text = `${part.repeat(100_000 / part.length)}\r\u2028x`;
    const before = performance.now();
    findMentions(text, WHO);
    // What takes the square of the length needs minutes; the machine may be busy.
    expect(performance.now() - before).toBeLessThan(10_000);
  },
);

test.each(['\n', '\r\n', '\r'])('a fence is one, whatever ends its lines (%j)', (ending) => {
  expect(findMentions(['~~~', '@Ann', '~~~', '@Ann'].join(ending), WHO)).toHaveLength(1);
});
