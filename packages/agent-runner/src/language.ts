export type Language = 'ja' | 'en';

const JAPANESE_RUN = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}ー]+/gu;
const LATIN_WORD = /\p{Script=Latin}{2,}/gu;
/** What follows a word in a Japanese sentence, also one in Latin letters. */
const JAPANESE_GRAMMAR =
  /^(?:を|は|が|に|へ|と|の|で|も|や|か|から|まで|より|って|さん|くん|君|様|する|して|した|です|ます)/u;
/** How a Japanese sentence ends, and seldom a name. */
const JAPANESE_ENDING = /(?:ます|です|ました|でした|ません|ください|して|たい)$/u;
const JAPANESE_PUNCTUATION = /[。、！？]/u;
/** Around a Japanese name alone there are more words than these. */
const SENTENCE_WORDS = 3;

/**
 * The language to answer in: that of the sentence, also where a name in it is in another script; undefined when it shows
 * none ("👍", "123").
 */
export function languageOf(text: string): Language | undefined {
  const japanese = text.match(JAPANESE_RUN) ?? [];
  const words = text.match(LATIN_WORD) ?? [];
  if (japanese.length === 0) return /\p{Script=Latin}/u.test(text) ? 'en' : undefined;
  const [only] = japanese;
  const isName =
    japanese.length === 1 &&
    only !== undefined &&
    !JAPANESE_GRAMMAR.test(only) &&
    !JAPANESE_ENDING.test(only) &&
    !JAPANESE_PUNCTUATION.test(text);
  return isName && words.length >= SENTENCE_WORDS ? 'en' : 'ja';
}
