import { CONFUSABLES } from './confusables.ts';

/**
 * Look-alikes of Japanese that are missing in the table of Unicode, as pairs: the second character replaces
 * both.
 */
const MORE_PAIRS = ['ー-', 'オ才', 'リり', 'ヌ又', 'ム厶'] as const;

let prototypes: ReadonlyMap<string, string> | undefined;

/**
 * Two names that look alike have a skeleton in common (UTS 39, after NFKC). Each name has two skeletons,
 * because "I" looks like "l" but "i" does not, and still "Ian" and "IAN" are the same name: one is made from
 * the characters as they are written, one from the lower case. For comparison only, never shown or stored:
 * the next version of the table gives other skeletons.
 */
export function skeletonsOf(name: string): readonly string[] {
  const plain = name
    .normalize('NFKC')
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]/gu, '')
    .trim()
    .replace(/\s+/gu, ' ');
  // Applied twice: a look-alike of "M" becomes "M", then "m", which itself looks like "rn".
  return [shape(shape(plain)), shape(lowerCase(plain))];
}

export function looksLike(one: string, other: string): boolean {
  const others = skeletonsOf(other);
  return skeletonsOf(one).some((skeleton) => others.includes(skeleton));
}

function shape(text: string): string {
  prototypes ??= readTable();
  let shaped = '';
  for (const character of text.normalize('NFKD')) shaped += prototypes.get(character) ?? character;
  return lowerCase(shaped);
}

/** Upper case first: it unites characters that lower case distinguishes (ß and ss, ς and σ, ı and i). */
function lowerCase(text: string): string {
  return text.toUpperCase().toLowerCase().normalize('NFKD');
}

/**
 * A line is a prototype, then the code points that look like it, each as the distance from the previous one,
 * base 36.
 */
function readTable(): ReadonlyMap<string, string> {
  const table = new Map<string, string>();
  for (const line of CONFUSABLES.split('\n')) {
    const [prototype = '', ...steps] = line.split(' ');
    const target = String.fromCodePoint(...prototype.split('+').map((code) => Number.parseInt(code, 36)));
    let code = 0;
    for (const step of steps) {
      code += Number.parseInt(step, 36);
      table.set(String.fromCodePoint(code), target);
    }
  }
  for (const [one = '', prototype = ''] of MORE_PAIRS.map((pair) => [...pair])) {
    const target = table.get(prototype) ?? prototype;
    for (const [source, other] of table) if (other === one) table.set(source, target);
    table.set(one, target);
  }
  return table;
}
