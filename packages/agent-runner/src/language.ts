export type Language = 'ja' | 'en';

const JAPANESE_SCRIPT = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u;

/** The language to answer in, by the script of what was written; undefined when it shows none ("👍", "123"). */
export function languageOf(text: string): Language | undefined {
  if (JAPANESE_SCRIPT.test(text)) return 'ja';
  return /\p{Script=Latin}/u.test(text) ? 'en' : undefined;
}
