import type { ToolOutput } from '@aizuchi/shared/contract/tools/tools';
import { memoryRequestOf } from './memory-request.ts';
import { shareNamed, topicTermsOf } from './topic-terms.ts';

export type Recalled = ToolOutput<'recall'>['items'][number];

/** Less than this of the topic in it: it is about something else, whatever its score is. */
const MIN_NAMED_SHARE = 0.5;
const MAX_QUOTED = 3;

/**
 * What of the found is quoted, the best first. A score says only which of them fits best, so each has to name the topic
 * itself. What somebody asked before is no answer; earlier wishes to be told something are none at all.
 */
export function pickRemembered(topic: string, items: readonly Recalled[]): Recalled[] {
  const terms = topicTermsOf(topic);
  const named = items
    .filter(({ text }) => memoryRequestOf(text)?.kind !== 'recall')
    .map((item) => ({ item, share: shareNamed(terms, item.text) }))
    .filter(({ share }) => share >= MIN_NAMED_SHARE)
    .sort((one, other) => other.share - one.share)
    .map(({ item }) => item);
  const statements = named.filter(({ text }) => !isQuestion(text));
  return withoutRepeats(statements.length > 0 ? statements : named).slice(0, MAX_QUOTED);
}

function isQuestion(text: string): boolean {
  return /\?\s*$|(?:です|ます|でしょう)か[。\s]*$/.test(text.normalize('NFKC'));
}

/** Of words that stand in each other one is kept: a note repeats what was said, and people say things again. */
function withoutRepeats(items: readonly Recalled[]): Recalled[] {
  const kept: Recalled[] = [];
  for (const item of items) {
    const same = kept.findIndex(({ text }) => contains(text, item.text) || contains(item.text, text));
    const known = kept[same];
    if (known === undefined) kept.push(item);
    else if (saysMore(item, known)) kept[same] = item;
  }
  return kept;
}

/** Words of a person more than a note of them, and the longer words. */
function saysMore(item: Recalled, known: Recalled): boolean {
  return item.type === known.type ? item.text.length > known.text.length : item.type === 'event';
}

function contains(text: string, part: string): boolean {
  return bare(text).includes(bare(part));
}

function bare(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s\p{P}]/gu, '');
}
