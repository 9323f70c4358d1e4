import { blanked, codeRanges, type TextRange } from './code-ranges.ts';
import { isSpacedWord, opensMention } from './mention-opening.ts';
import { quotedRanges } from './quoted-ranges.ts';

/** Whom a text may name after an `@`: by name, or by id. */
export interface Mentionable {
  readonly id: string;
  readonly name: string;
}

/** The place of an `@` with the name behind it. */
export interface Mention extends TextRange {
  readonly id: string;
}

/** Of a text with more only these are looked at, so that a text of nothing but `@` costs little. */
const MAX_LOOKED_AT = 100;

/** The scheme is bounded: otherwise a long word would be read again from each of its letters. */
const ADDRESSES = /\b(?:[a-z][a-z0-9+.-]{0,15}:\/\/|www\.|mailto:)[!-~]+/gi;
/** It changes the character before it, so a name that ends there is another one. */
const CHANGES_LETTER = /\p{M}|\u200d/u;

/** Whether it is worth reading who could be meant. Code, quotations, e-mail addresses and URLs mention nobody. */
export function mayMention(text: string): boolean {
  return text.includes('@') && openings(text).length > 0;
}

/**
 * Who is mentioned where. The longest name counts; upper and lower case do not. Nothing else is evened out, so a name in
 * letters that look alike is another name. A name that two have mentions neither of them: an id does.
 */
export function findMentions(text: string, who: readonly Mentionable[]): readonly Mention[] {
  if (!text.includes('@') || who.length === 0) return [];
  const spellings = spellingsOf(who);
  const lengths = [...new Set([...spellings.exact.keys()].map(({ length }) => length))].toSorted(
    (a, b) => b - a,
  );
  return openings(text).flatMap((start) => {
    for (const length of lengths) {
      const end = start + 1 + length;
      const word = text.slice(start + 1, end);
      const id = spellings.exact.get(word) ?? spellings.folded.get(word.toLowerCase());
      if (id === undefined || word.length < length || !endsName(text, end)) continue;
      return id === SEVERAL ? [] : [{ start, end, id }];
    }
    return [];
  });
}

const SEVERAL = Symbol('several have this name');
type Spellings = Map<string, string | typeof SEVERAL>;

/** By the letters as they are written, and without upper case. An id is never somebody else's name. */
function spellingsOf(who: readonly Mentionable[]): { readonly exact: Spellings; readonly folded: Spellings } {
  const [exact, folded]: [Spellings, Spellings] = [new Map(), new Map()];
  const add = (to: Spellings, spelling: string, id: string) => {
    const before = to.get(spelling);
    to.set(spelling, before === undefined || before === id ? id : SEVERAL);
  };
  // Some systems write é as two characters.
  for (const { id, name } of who)
    for (const spelling of new Set([name, name.normalize('NFC'), name.normalize('NFD')])) {
      if (spelling === '') continue;
      add(exact, spelling, id);
      add(folded, spelling.toLowerCase(), id);
    }
  for (const { id } of who) {
    exact.set(id, id);
    folded.set(id.toLowerCase(), id);
  }
  return { exact, folded };
}

function openings(text: string): readonly number[] {
  const code = blanked(text, codeRanges(text));
  const own = blanked(code, quotedRanges(code));
  const addresses = [...own.matchAll(ADDRESSES)].map(({ 0: word, index }) => ({
    start: index,
    end: index + word.length,
  }));
  const words = blanked(own, addresses);
  const found: number[] = [];
  let looked = 0;
  for (let at = words.indexOf('@'); at !== -1 && looked < MAX_LOOKED_AT; at = words.indexOf('@', at + 1)) {
    looked += 1;
    if (opensMention(text.slice(Math.max(0, at - 2), at)) && /^\S/.test(words.slice(at + 1, at + 2)))
      found.push(at);
  }
  return found;
}

/** @Ann is not in @Annabel, @ann@example.com or @ann.example. */
function endsName(text: string, end: number): boolean {
  const [next = ''] = /^./su.exec(text.slice(end, end + 2)) ?? [];
  if (next === '') return true;
  if (next === '@' || CHANGES_LETTER.test(next)) return false;
  if (next === '.') return !/^\.[a-z0-9]/i.test(text.slice(end, end + 2));
  const [last = ''] = /.$/su.exec(text.slice(0, end).slice(-2)) ?? [];
  return !(isSpacedWord(last) && isSpacedWord(next));
}
