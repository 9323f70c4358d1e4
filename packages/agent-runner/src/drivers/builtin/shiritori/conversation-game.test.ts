import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Line } from './chat-game.ts';
import { type ConversationMove, playInConversation } from './conversation-game.ts';
import { wishOf } from './invite.ts';
import { judge } from './rules.ts';
import { SHIRITORI_TEXTS_JA } from './texts.ja.ts';
import { makeWordList, type WordList } from './words/word-list.ts';

const LIST = makeWordList();

type Said = { readonly by: 'a' | 'b'; readonly text: string };

function move(
  thread: readonly Said[],
  me: 'a' | 'b',
  rounds?: number,
  list: WordList = LIST,
  random = () => 0,
): ConversationMove {
  const lines = thread.map<Line>(({ by, text }, index) => ({
    id: `msg_${index}`,
    mine: by === me,
    text,
    wish: wishOf(text),
  }));
  const asked = lines.findLastIndex((line) => line.mine) + 1;
  return playInConversation({
    before: lines.slice(0, asked),
    batch: lines.slice(asked),
    rounds,
    language: 'ja',
    list,
    random,
  });
}

/** Two built-in agents until one of them ends the conversation; the words are all that was sent. */
function playOut(rounds: number | undefined, list: WordList, random: () => number, opening: string) {
  const thread: Said[] = [{ by: 'a', text: opening }];
  for (;;) {
    const me = thread.at(-1)?.by === 'a' ? 'b' : 'a';
    const next = move(thread, me, me === 'a' ? rounds : undefined, list, random);
    if (next.end) return { thread, next, endedBy: me };
    if (next.content === null) throw new Error('an answer without a word and without an end');
    thread.push({ by: me, text: next.content });
  }
}

test('five rounds are ten messages: then who began ends it with a last word', () => {
  const { thread, next, endedBy } = playOut(5, LIST, () => 0.5, 'しりとりをしましょう。りんご');
  expect(thread).toHaveLength(10);
  expect(endedBy).toBe('a');
  expect(next.end).toEqual({ why: 'rounds_done', finalMessage: SHIRITORI_TEXTS_JA.roundsDone(5) });
  expect(next.said).toHaveLength(10);
});

test('two agents never break a rule, and always end', () => {
  fc.assert(
    fc.property(
      fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
      fc.array(fc.double({ min: 0, max: 0.999 }), { minLength: 1, maxLength: 50, size: 'max' }),
      fc.constantFrom('りんご', 'ごりら', 'らっぱ', 'くるま'),
      (rounds, chances, first) => {
        let turn = 0;
        const random = () => chances[turn++ % chances.length] ?? 0;
        // A part of the list, so that a game without rounds comes to its end soon.
        const words = ['あ', 'い', 'か', 'く', 'ご', 'ら', 'り', 'ぱ', 'ま', 'る', 'す', 'は'];
        const list = makeWordList(words.flatMap((sound) => LIST.startingWith(sound)).join(' '));
        const { thread, next } = playOut(rounds, list, random, `しりとりをしましょう。${first}`);
        expect(next.said).toHaveLength(thread.length);
        next.said.forEach((word, index) => {
          expect(judge(word, next.said.slice(0, index))).toBe('good');
        });
        if (next.end?.why === 'rounds_done') expect(thread).toHaveLength((rounds ?? 0) * 2);
        else expect(next.end?.why).toBe('i_lost');
      },
    ),
    { numRuns: 60 },
  );
});

test('a partner that says a word in ん has lost: the conversation ends', () => {
  const next = move(
    [
      { by: 'a', text: 'しりとりをしましょう。りんご' },
      { by: 'b', text: 'ごはん' },
    ],
    'a',
    5,
  );
  expect(next.end).toEqual({ why: 'they_lost', finalMessage: SHIRITORI_TEXTS_JA.theyLost('ごはん', 2) });
});

test('a broken rule is explained; after three in a row it ends, so two that disagree do stop', () => {
  const thread: Said[] = [{ by: 'a', text: 'りんご' }];
  for (const wrong of ['からす', 'からす']) {
    thread.push({ by: 'b', text: wrong });
    const { content, end } = move(thread, 'a');
    expect(end).toBeUndefined();
    expect(content).toBe(SHIRITORI_TEXTS_JA.wrongStart(wrong, 'りんご', 'ご'));
    thread.push({ by: 'a', text: content ?? '' });
  }
  thread.push({ by: 'b', text: 'からす' });
  expect(move(thread, 'a').end?.why).toBe('broken_rules');
});

test('talk is answered with what is due, and ends it after three in a row; an invitation without a word gets the opening', () => {
  const thread: Said[] = [{ by: 'a', text: 'しりとりをしましょう' }];
  expect(move(thread, 'b').content).toBe('しりとりをしましょう。りんご');
  thread.push(
    { by: 'b', text: 'しりとりをしましょう。りんご' },
    { by: 'a', text: '楽しみですね、ありがとう' },
  );
  const asked = move(thread, 'b');
  expect(asked).toEqual({ content: SHIRITORI_TEXTS_JA.yourTurn('ご'), said: ['りんご'] });
  for (const text of [asked.content ?? '', SHIRITORI_TEXTS_JA.yourTurn('ご')])
    thread.push({ by: 'b', text }, { by: 'a', text: '少し考えますね、ありがとう' });
  expect(move(thread, 'b').end?.why).toBe('broken_rules');
  thread.push({ by: 'a', text: 'ごりら' });
  expect(move(thread, 'b').content).toMatch(/^ら/);
});

test('a partner that gives up ends it', () => {
  const next = move(
    [
      { by: 'a', text: 'しりとりをしましょう。りんご' },
      { by: 'b', text: '参りました' },
    ],
    'a',
  );
  expect(next.end?.why).toBe('participant_ended');
});
