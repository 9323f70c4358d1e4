import { mentionsShiritori } from './trace.ts';

/** What a text with the game's name in it wants of the agent that reads it. */
export type ShiritoriWish =
  /** With whoever writes. */
  | { readonly kind: 'play' }
  /** With another agent, who is named somewhere in the text. */
  | { readonly kind: 'play_with_other'; readonly rounds: number }
  | { readonly kind: 'rules' };

const DEFAULT_ROUNDS = 5;
/** A conversation has room for forty messages, and it must not be full before it is ended. */
const MAX_ROUNDS = 19;

const RULES =
  /ルール|遊び方|やり方|決まり|って(?:何|なに)|とは|\brules?\b|\bhow (?:do|does|to)\b|\bwhat is\b/i;
const ABOUT_A_PAST_GAME = /結果|どう(?:だった|でした|なった|なりました)|\bhow did\b|\bwho won\b/i;
/** A new game may be wanted all the same. */
const PRAISES_A_GAME = /(?:楽し|面白|おもしろ)かった|ありがと|\bwas fun\b|\bthanks?\b/i;
const INVITES =
  /しよう|しましょ|しませんか|したい|やろう|やりましょ|もう(?:一|1)(?:回|度)|\blet'?s\b|\bplay\b|\bagain\b/i;
const WANTS_NO_GAME =
  /しりとり[はを]?(?:もう)?、?(?:終わりに(?:し|する)|やめ(?:よう|ましょう|ます|たい|て))|\b(?:no more|stop(?: the| playing)?) shiritori\b/i;
/** What holds と and names nobody. */
const NO_COMPANION =
  /ちょっと|もっと|ずっと|きっと|やっと|あと|ありがと|こと|ほんと|と(?=思[いうっ]|言[いうっ]|おも[いうっ]|いう)|\b(?:start|begin|continue|go on) with\b/gi;
const WITH_ME =
  /(?:私|わたし|僕|ぼく|俺|自分|あなた|君|きみ)(?:と|を相手)|一緒に|いっしょに|\bwith (?:me|you|us)\b/i;
const WITH_OTHER = /(?:と|を相手に|相手に|を誘って)(?!り)|往復|\bwith\b|\bagainst\b/i;
const ROUNDS = /(\d{1,4})\s*(?:往復|ターン|回|ラウンド|rounds?\b|turns?\b|times\b)/i;
const NUMBER_WORDS: Readonly<Record<string, number>> = {
  一: 1,
  二: 2,
  三: 3,
  四: 4,
  五: 5,
  六: 6,
  七: 7,
  八: 8,
  九: 9,
  十: 10,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
};
const ROUNDS_IN_WORDS =
  /([一二三四五六七八九十])\s*(?:往復|ターン|回|ラウンド)|\b(one|two|three|four|five|six|seven|eight|nine|ten)\s+(?:rounds?|turns?|times)\b/i;

/** In a game the name of the game need not be said. */
export function asksForRules(text: string): boolean {
  return /ルール|決まりは|\brules?\b/i.test(text);
}

export function wishOf(text: string): ShiritoriWish | undefined {
  const normal = text.normalize('NFKC');
  const isPraise = PRAISES_A_GAME.test(normal) && !INVITES.test(normal);
  if (!mentionsShiritori(normal) || ABOUT_A_PAST_GAME.test(normal) || isPraise || WANTS_NO_GAME.test(normal))
    return undefined;
  if (RULES.test(normal)) return { kind: 'rules' };
  if (!WITH_ME.test(normal) && WITH_OTHER.test(companionPartOf(normal))) {
    return { kind: 'play_with_other', rounds: roundsIn(normal) ?? DEFAULT_ROUNDS };
  }
  return { kind: 'play' };
}

/** Between 1 and what a conversation can hold. */
export function roundsIn(text: string): number | undefined {
  const normal = text.normalize('NFKC');
  const words = ROUNDS_IN_WORDS.exec(normal);
  const word = words?.[1] ?? words?.[2]?.toLowerCase();
  const rounds = ROUNDS.exec(normal)?.[1] ?? (word === undefined ? undefined : NUMBER_WORDS[word]);
  return rounds === undefined ? undefined : Math.min(Math.max(Number(rounds), 1), MAX_ROUNDS);
}

/** A text without the name of the game, and without words that only look like "with somebody". */
export function companionPartOf(text: string): string {
  return text.replace(/しりとり|シリトリ|尻取り/g, '…').replace(NO_COMPANION, '…');
}
