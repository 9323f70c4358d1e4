/** A word in hiragana and ー, as the game compares it: katakana, half width and 〜 are written over. */
export type Word = string;

const WORD = /^[ぁ-ゖ][ぁ-ゖー]*$/;
const SMALL: Readonly<Record<string, string>> = {
  ぁ: 'あ',
  ぃ: 'い',
  ぅ: 'う',
  ぇ: 'え',
  ぉ: 'お',
  っ: 'つ',
  ゃ: 'や',
  ゅ: 'ゆ',
  ょ: 'よ',
  ゎ: 'わ',
  ゕ: 'か',
  ゖ: 'け',
};
/** Written differently, said the same: no word would begin with them. */
const SAME_SOUND: Readonly<Record<string, string>> = { ぢ: 'じ', づ: 'ず', を: 'お', ゐ: 'い', ゑ: 'え' };

const KATAKANA_TO_HIRAGANA = 'ァ'.charCodeAt(0) - 'ぁ'.charCodeAt(0);

/** The text as a word, if it is written in kana alone. */
export function kanaWord(text: string): Word | undefined {
  const hiragana = text
    .normalize('NFKC')
    .replace(/[~〜]/g, 'ー')
    .replace(/[ァ-ヶ]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) - KATAKANA_TO_HIRAGANA));
  return WORD.test(hiragana) ? hiragana : undefined;
}

export function firstSound(word: Word): string {
  return soundOf(word.charAt(0));
}

/** What the next word begins with: a long mark counts as the kana before it, a small kana as a large one. */
export function lastSound(word: Word): string {
  return soundOf(word.replace(/ー+$/, '').slice(-1));
}

function soundOf(kana: string): string {
  const large = SMALL[kana] ?? kana;
  return SAME_SOUND[large] ?? large;
}
