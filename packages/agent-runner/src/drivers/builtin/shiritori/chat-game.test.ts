import fc from 'fast-check';
import { expect, test } from 'vitest';
import { languageOf } from '../../../language.ts';
import { gameAfter, type Line, playInChat } from './chat-game.ts';
import { ownWord } from './game.ts';
import { wishOf } from './invite.ts';
import { judge } from './rules.ts';
import { SHIRITORI_TEXTS_EN } from './texts.en.ts';
import { SHIRITORI_TEXTS_JA } from './texts.ja.ts';
import { lastSound } from './words/kana.ts';
import { makeWordList, type WordList } from './words/word-list.ts';

const LIST = makeWordList();

/** A chat with a player: `write` gives the reply, undefined when the game had no use for the text. */
function chat(list: WordList = LIST, random: () => number = () => 0) {
  const lines: Line[] = [];
  const line = (text: string, mine: boolean): Line => ({
    id: `msg_${lines.length}`,
    mine,
    text,
    wish: wishOf(text),
  });
  return {
    lines,
    write(...texts: string[]): string | undefined {
      const before = [...lines];
      const batch: Line[] = [];
      for (const text of texts) {
        const next = line(text, false);
        batch.push(next);
        lines.push(next);
      }
      const replies = playInChat({
        before,
        batch,
        languageOf: (of) => languageOf(of.text) ?? 'ja',
        list,
        random,
      });
      const reply = [...replies.values()].filter((text) => text !== null).join('\n\n');
      if (replies.size === 0) return undefined;
      if (reply !== '') lines.push(line(reply, true));
      return reply;
    },
    /** As after a restart far into a game: only the last lines are known. */
    forget: (kept: number) => lines.splice(0, lines.length - kept),
  };
}

test('a game: the agent opens, takes turns, explains what is wrong, wins when the person says a word in ん', () => {
  const { write } = chat();
  const opening = write('しりとりしよう') ?? '';
  expect(opening.split('\n')).toEqual([
    SHIRITORI_TEXTS_JA.opening,
    '「りんご」',
    SHIRITORI_TEXTS_JA.yourTurn('ご'),
  ]);
  expect(write('こま')).toBe(SHIRITORI_TEXTS_JA.wrongStart('こま', 'りんご', 'ご'));
  const answer = write('ごり') ?? '';
  expect(judge(ownWord(answer) ?? '', ['りんご', 'ごり'])).toBe('good');
  expect(write('りんご')).toContain('りんご');
  const sound = answer.split('\n')[1] ?? '';
  expect(sound).toContain('から始まる言葉をどうぞ');
});

test('the person opens: with the wish, or with the next text', () => {
  expect(ownWord(chat().write('しりとりをしましょう。りんご') ?? '')?.[0]).toBe('ご');
  expect(ownWord(chat().write('しりとりしよう', 'からす') ?? '')?.[0]).toBe('す');
});

test('a long mark: the sound before it, said when it matters', () => {
  const { write } = chat();
  const answer = write('しりとりしよう。コーヒー') ?? '';
  expect(ownWord(answer)?.[0]).toBe('ひ');
  const withLongMark = chat(makeWordList('りんご ごーるきーぱー'));
  withLongMark.write('しりとり。りんご');
  expect(withLongMark.write('あひる')).toBe(
    [SHIRITORI_TEXTS_JA.wrongStart('あひる', 'ごーるきーぱー', 'ぱ'), SHIRITORI_TEXTS_JA.longMark].join('\n'),
  );
});

test('broken rules change nothing; a lost word and a wish to stop end the game', () => {
  const { write } = chat();
  write('しりとりしよう。ごりら');
  expect(write('ん')).toBeDefined();
  const lost = chat(makeWordList('りんご ごりら'));
  lost.write('しりとりしよう。りんご');
  expect(lost.write('らいおん')).toBe(SHIRITORI_TEXTS_JA.theyLost('らいおん', 3));
  expect(lost.write('ごま')).toBeUndefined();
  const stopped = chat();
  stopped.write('しりとりしよう');
  expect(stopped.write('もうやめよう')).toBe(SHIRITORI_TEXTS_JA.stopped(1));
  expect(stopped.write('ごま')).toBeUndefined();
});

test('when nothing is left to say the agent gives up, and the game is over', () => {
  const { write } = chat(makeWordList('りんご ごりら'));
  expect(write('しりとりしよう。りんご')).toContain('「ごりら」');
  expect(write('らっぱ')).toBe(SHIRITORI_TEXTS_JA.iGiveUp('ぱ', 3));
  expect(write('らくだ')).toBeUndefined();
});

test('other questions in between are left to others, and the game goes on', () => {
  const { write } = chat();
  write('しりとりしよう');
  expect(write('タスクの進捗は？')).toBeUndefined();
  expect(write('今日は雨が降るでしょうか')).toBe(SHIRITORI_TEXTS_JA.reminder('ご'));
  expect(write('ルールを教えて')).toBe(SHIRITORI_TEXTS_JA.rules);
  expect(ownWord(write('ごま') ?? '')?.[0]).toBe('ま');
});

test('ルール asks for the rules, and is a word where る is wanted', () => {
  const { write } = chat(makeWordList('りんご ごま まる るーる るす'));
  write('しりとりしよう');
  expect(write('ルール')).toBe(SHIRITORI_TEXTS_JA.rules);
  expect(ownWord(write('ごま') ?? '')).toBe('まる');
  for (const text of ['ルールは？', 'ルール？', 'ルール、教えて', 'るす。ルールは？'])
    expect(write(text)).toBe(SHIRITORI_TEXTS_JA.rules);
  expect(ownWord(write('ルール') ?? '')).toBe('るす');
});

test('in English it is answered in English, with the sounds in Latin letters', () => {
  const { write } = chat();
  expect(write("Let's play shiritori!")).toBe(
    [SHIRITORI_TEXTS_EN.opening, '「りんご」 (ringo)', SHIRITORI_TEXTS_EN.yourTurn('ご')].join('\n'),
  );
  expect(write('gorira')).toMatch(/^「ら.*」 \(ra.*\)\nYour turn: a Japanese word that begins with /);
  expect(write('stop')).toBe(SHIRITORI_TEXTS_EN.stopped(3));
});

test('a restart in the middle of a long game goes on from the last lines', () => {
  const { write, forget } = chat();
  write('しりとりしよう');
  const answer = write('ごま') ?? '';
  forget(1);
  const sound = lastSound(ownWord(answer) ?? '');
  const word = LIST.startingWith(sound).find((known) => judge(known, []) === 'good') ?? '';
  expect(ownWord(write(word) ?? '')?.[0]).toBe(lastSound(word));
});

test('without a game nothing is taken for one', () => {
  const { write } = chat();
  expect(write('りんご')).toBeUndefined();
  expect(write('こだまさんとしりとりを5往復してください')).toBeUndefined();
});

test('whatever a person writes, the agent keeps the rules', () => {
  const words = LIST.startingWith('り').concat(LIST.startingWith('ご'), LIST.startingWith('ら'));
  const text = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...words) },
    fc.constantFrom(
      'しりとりしよう',
      'やめる',
      '林檎',
      '進捗は？',
      'ringo',
      'ら〜めん',
      '「ごりら」です',
      'ー',
    ),
    fc.string({ unit: 'grapheme', maxLength: 12, size: 'max' }),
  );
  fc.assert(
    fc.property(
      fc.array(text, { maxLength: 40, size: 'max' }),
      fc.double({ min: 0, max: 0.999 }),
      (texts, chance) => {
        const { write, lines } = chat(LIST, () => chance);
        for (const written of texts) {
          const own = ownWord(write(written) ?? '');
          if (own === undefined) continue;
          const said = gameAfter(lines, LIST)?.said ?? [];
          expect(said.at(-1)).toBe(own);
          said.forEach((word, index) => {
            expect(judge(word, said.slice(0, index))).toBe('good');
          });
        }
      },
    ),
    { numRuns: 300 },
  );
});
