import { MAX_PROPOSED_PARTS } from '@aizuchi/shared/contract/proposal';

const ITEM =
  /^\s*(?:(?<n>\d+)(?:[)）]|[.．](?!\d))\s*|(?:[-*+]\s+|[・●]\s*))(?:\[(?<box>[ xX])\]\s+)?(?<text>\S.*)$/u;
const MAX_TITLE_LENGTH = 500;

export interface Part {
  readonly title: string;
  /** Numbers of parts before it, from 1. */
  readonly depends_on: number[];
}

/**
 * Each item of the lists in a description is a part; what is ticked is done already. The items of a numbered list come
 * one after the other, so each waits for the one before it. `left`: how many there are besides.
 */
export function partsOf(description: string): { readonly parts: readonly Part[]; readonly left: number } {
  const items = description.split('\n').flatMap((line) => {
    const groups = ITEM.exec(line.trimEnd())?.groups;
    const isOpen = groups !== undefined && (groups.box === undefined || groups.box === ' ');
    return isOpen ? [{ text: titleOf(groups.text ?? ''), isNumbered: groups.n !== undefined }] : [];
  });
  const parts = items.slice(0, MAX_PROPOSED_PARTS).map(({ text, isNumbered }, index) => ({
    title: text,
    depends_on: isNumbered && items[index - 1]?.isNumbered === true ? [index] : [],
  }));
  return { parts, left: items.length - parts.length };
}

function titleOf(text: string): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  return [...line].slice(0, MAX_TITLE_LENGTH).join('');
}
