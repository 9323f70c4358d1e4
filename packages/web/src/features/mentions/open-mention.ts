import { opensMention } from '@aizuchi/shared/core/mentions/rules/mention-opening';

/** What is being written after an `@` at the caret. */
export interface OpenMention {
  /** Where the `@` stands. */
  readonly start: number;
  readonly words: string;
}

const MAX_SHOWN = 8;

/** The mention that the caret is in; undefined: it is in none. */
export function mentionAt(text: string, caret: number): OpenMention | undefined {
  const before = text.slice(0, caret);
  const start = before.lastIndexOf('@');
  const words = before.slice(start + 1);
  if (start === -1 || /\s/.test(words) || !opensMention(before.slice(0, start))) return undefined;
  return { start, words };
}

/** Those whose name or id holds the words; whose name begins with them first. */
export function mentionable<P extends { readonly id: string; readonly name: string }>(
  people: readonly P[],
  words: string,
): readonly P[] {
  const needle = words.toLowerCase();
  const rank = ({ name }: P) => (name.toLowerCase().startsWith(needle) ? 0 : 1);
  return people
    .filter(({ id, name }) => name.toLowerCase().includes(needle) || id.toLowerCase().includes(needle))
    .toSorted((a, b) => rank(a) - rank(b))
    .slice(0, MAX_SHOWN);
}

/** The text with the name in place of what was written, and where the caret stands then. */
export function withMention(
  text: string,
  { start, words }: OpenMention,
  name: string,
): { readonly text: string; readonly caret: number } {
  const before = `${text.slice(0, start)}@${name} `;
  return { text: before + text.slice(start + 1 + words.length).replace(/^ /, ''), caret: before.length };
}

/** What stands for somebody after the `@`: the name, or the id where another one has the same name. */
export function mentionName<P extends { readonly id: string; readonly name: string }>(
  { id, name }: P,
  people: readonly P[],
): string {
  const same = people.filter((one) => one.name.toLowerCase() === name.toLowerCase());
  return same.length > 1 ? id : name;
}
