import { beginningOf } from '../../../rules/storable-text.ts';
import { LOOKED_AT } from './write-plan.ts';

/** A longer one is no sentence but data: nothing is learnt from it. */
export const LONGEST_SENTENCE = 240;
const MOST_SENTENCES = 60;

const END =
  /[^.!?。！？\n]+(?:[.!?。！？]+(?=\s|$|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])|\n|$|[.。！？!?])+/gu;

/** The sentences of the beginning of a text, trimmed, those of a size that a person would say. */
export function sentencesOf(text: string): string[] {
  const found: string[] = [];
  let rest = '';
  for (const [part] of beginningOf(text, LOOKED_AT).matchAll(END)) {
    rest += part;
    // A point within a word or a number ends nothing: `v1.2`, `e.g.`
    if (/[\p{L}\p{N}][.]$/u.test(part) && !/\s$/.test(part) && part.length < 4) continue;
    const sentence = rest.trim();
    rest = '';
    if (sentence !== '' && sentence.length <= LONGEST_SENTENCE) found.push(sentence);
    if (found.length === MOST_SENTENCES) break;
  }
  return found;
}

/** Without the mark at its end. */
export function withoutEnd(sentence: string): string {
  return sentence.replace(/[.!。！\s]+$/u, '');
}

export function isQuestion(sentence: string): boolean {
  return (
    /[?？]\s*$|(?:ですか|ますか|でしたか|ましたか|だっけ|でしたっけ|かな|教えて(?:ください)?)[。.\s]*$/u.test(
      sentence,
    ) ||
    /^(?:do|does|did|can|could|would|will|what|when|where|who|which|why|how|is|are|was|were|tell me|please tell)\b/iu.test(
      sentence,
    )
  );
}

/** As names and topics are compared: NFKC, one space, lower case. */
export function normalised(text: string): string {
  return text.normalize('NFKC').replace(/\s+/gu, ' ').trim().toLowerCase();
}
