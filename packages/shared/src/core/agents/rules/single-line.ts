/**
 * The allowed content of a name, title, label or role: one line that shows every character in it. Texts of
 * several lines are not checked by this; the page isolates them.
 */

interface Forbidden {
  readonly what: string;
  readonly found: RegExp;
}

/** The first match is reported. */
const FORBIDDEN: readonly Forbidden[] = [
  { what: 'a control character', found: /\p{Cc}/u },
  { what: 'a line separator', found: /[\u2028\u2029]/u },
  { what: 'a character that changes the direction of text', found: /\p{Bidi_Control}/u },
  // Of these only U+2800 (an empty Braille cell), the annotation marks and the object mark are not
  // "ignorable".
  { what: 'an invisible character', found: /[\p{Default_Ignorable_Code_Point}\u2800\u{FFF9}-\u{FFFC}]/u },
  { what: 'half of a surrogate pair', found: /\p{Cs}/u },
  { what: 'a private or unusable character', found: /[\p{Co}\p{Noncharacter_Code_Point}]/u },
];

/** More marks on one letter cover the lines beside it (UTS 39, 5.4). */
const PILED_MARKS = /\p{Mn}{5,}/u;

/** Scripts in which the joiners change the form of letters and so belong to the spelling. */
const JOINING_SCRIPTS = [
  'Arabic',
  'Syriac',
  'Mongolian',
  'Devanagari',
  'Bengali',
  'Gurmukhi',
  'Gujarati',
  'Oriya',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
  'Khmer',
  'Myanmar',
];

/** Characters that are invisible by themselves, in the places where they are needed. */
const NEEDED: readonly RegExp[] = [
  // The flags of England, Scotland, Wales: a black flag and letters of tags.
  /\u{1F3F4}[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{1,6}\u{E007F}/gu,
  // A family, a flag of two parts: emoji joined by U+200D.
  /(?:\p{Extended_Pictographic}[\uFE0F\p{Emoji_Modifier}]?\u200D)+\p{Extended_Pictographic}[\uFE0F\p{Emoji_Modifier}]?/gu,
  // Shown as a picture, or as text.
  /\p{Emoji}[\uFE0E\uFE0F]/gu,
  // The form of a kanji in a family's name.
  /\p{Script=Han}[\uFE00-\uFE02\u{E0100}-\u{E01EF}]/gu,
  ...JOINING_SCRIPTS.map(
    (script) =>
      new RegExp(`(?<=\\p{Script=${script}}\\p{Mn}*)[\\u200C\\u200D](?=\\p{Script=${script}})`, 'gu'),
  ),
];

/** Why the text is not a valid line, as the end of "must not hold …"; `undefined` when it is valid. */
export function singleLineFault(text: string): string | undefined {
  const rest = NEEDED.reduce((left, needed) => left.replace(needed, 'x'), text);
  for (const { what, found } of FORBIDDEN) {
    const character = found.exec(rest)?.[0];
    if (character !== undefined) return `${what} (${codePointName(character)})`;
  }
  return PILED_MARKS.test(text.normalize('NFD')) ? 'more than four marks on one letter' : undefined;
}

/**
 * One spelling of texts that look the same: composed (NFC), without space at the ends, one space in place of
 * several.
 */
export function tidyLine(text: string): string {
  return text
    .normalize('NFC')
    .trim()
    .replace(/\s+/gu, (space) => (space === IDEOGRAPHIC_SPACE ? space : ' '));
}

/** The characters between the parts of a Japanese name. */
const IDEOGRAPHIC_SPACE = '\u3000';

function codePointName(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
  return `U+${hex.padStart(4, '0')}`;
}
