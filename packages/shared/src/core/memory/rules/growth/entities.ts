import { normalised } from './sentences.ts';
import { type Entity, type EntityType, LOOKED_AT } from './write-plan.ts';

const LONGEST_NAME = 80;
const MOST = 20;

/** Words that begin with a capital and name nothing. */
const NO_NAMES = new Set(
  `i i'm i've i'll i'd the a an this that these those it he she we they you my your his her our their is are was were
  do does did can could would will shall should may might must have has had and or but so if when where what who whom
  which why how yes no ok okay oh hi hello hey thanks thank please sorry well also then there here today tomorrow
  yesterday tonight now monday tuesday wednesday thursday friday saturday sunday january february march april may june
  july august september october november december mr mrs ms dr let's don't im not actually just remember in on at for
  from to with by of as after before since until because every each some any all one two three next last still maybe
  never always really`.split(/\s+/),
);

/** Japanese: what follows a name says what it names. */
const JAPANESE: readonly (readonly [RegExp, EntityType])[] = [
  [
    /(?<name>[\p{Script=Han}\p{Script=Katakana}ー]{1,8}|[\p{Script=Hiragana}]{2,4})(?:さん|くん|君|ちゃん|先生|先輩|部長|課長|社長)/gu,
    'person',
  ],
  [
    /(?<name>[\p{Script=Han}\p{Script=Katakana}ー]{1,10}(?:株式会社|会社|大学|病院|銀行|商店|研究所|高校|中学校|小学校))/gu,
    'org',
  ],
  [
    /(?<name>[\p{Script=Han}\p{Script=Katakana}ー]{1,6}(?:都|府|県|市|区|町|村|駅|空港|公園))(?![\p{Script=Han}])/gu,
    'place',
  ],
  [/(?<name>[\p{Script=Han}\p{Script=Katakana}ーA-Za-z0-9]{1,16})(?:プロジェクト|計画|案件)/gu, 'project'],
  [/[「『](?<name>[^「」『』\n]{2,24})[」』]/gu, 'topic'],
  [/(?<name>\p{Script=Katakana}[\p{Script=Katakana}ー]{2,15})/gu, 'topic'],
];
const ENGLISH: readonly (readonly [RegExp, EntityType])[] = [
  [/\b(?:Mr|Mrs|Ms|Dr|Prof)\.?\s+(?<name>\p{Lu}[\p{L}'’-]+(?:\s+\p{Lu}[\p{L}'’-]+)?)/gu, 'person'],
  [
    /\b(?<name>\p{Lu}[\p{L}\d'’&-]+(?:\s+\p{Lu}[\p{L}\d'’&-]+)*\s+(?:Inc|Ltd|Corp|GmbH|University|College|Hospital|Bank|School))\b/gu,
    'org',
  ],
  [/\b(?:[Pp]roject)\s+(?<name>\p{Lu}[\p{L}\d'’-]+)/gu, 'project'],
  [
    /\b(?:live|lives|lived|living|moved|move|moving|trip|travel|travelled|went|go|going|flew|fly)\s+(?:in|to)\s+(?<name>\p{Lu}[\p{L}'’-]+(?:\s+\p{Lu}[\p{L}'’-]+)?)/gu,
    'place',
  ],
  [/["“](?<name>[^"“”\n]{2,40})["”]/gu, 'topic'],
  [/(?<![\p{L}\d])(?<name>\p{Lu}[\p{L}\d'’-]*(?:\s+\p{Lu}[\p{L}\d'’-]+){0,2})/gu, 'topic'],
];

/** Whom and what a text names. The kind of what is only known by its capital or its script is `topic`. */
export function entitiesOf(text: string): Entity[] {
  const plain = text.slice(0, LOOKED_AT).normalize('NFKC');
  const found = new Map<string, Entity>();
  for (const [pattern, type] of [...JAPANESE, ...ENGLISH])
    for (const { groups } of plain.matchAll(pattern)) {
      const label = trimmed(groups?.name ?? '');
      const name = normalised(label);
      // What was found as something particular is not a topic as well.
      if (!isName(name) || [...found.values()].some((known) => known.name === name)) continue;
      found.set(`${type} ${name}`, { type, name, label, confidence: type === 'topic' ? 0.5 : 0.7 });
      if (found.size === MOST) return [...found.values()];
    }
  return [...found.values()];
}

/** Whether something can be named so: neither a sign nor a word of grammar. */
export function isName(name: string): boolean {
  if (name.length > LONGEST_NAME || !/\p{L}/u.test(name)) return false;
  if (NO_NAMES.has(name) || PRONOUNS.has(name)) return false;
  return Array.from(name).length > 1 || /\p{Script=Han}/u.test(name);
}

const PRONOUNS = new Set(
  'わたし 私 僕 俺 ぼく おれ あなた 彼 彼女 みんな 皆 自分 これ それ あれ ここ そこ どこ だれ 誰 お客 me he him she her they them we us you it'.split(
    ' ',
  ),
);

/** Without the words at its beginning that only stand there with a capital. */
function trimmed(label: string): string {
  const words = label.replace(/['’]s$/u, '').split(/\s+/u);
  while (words.length > 0 && NO_NAMES.has((words[0] ?? '').toLowerCase())) words.shift();
  while (words.length > 0 && NO_NAMES.has((words.at(-1) ?? '').toLowerCase())) words.pop();
  return words.join(' ');
}
