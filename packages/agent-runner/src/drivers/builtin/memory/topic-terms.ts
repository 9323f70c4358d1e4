import { foldKana, wordOf } from '@aizuchi/shared/core/memory/rules/tokens';

const RUN =
  /(?<han>\p{Script=Han}+)|(?<katakana>[\p{Script=Katakana}ー]+)|(?<hiragana>[\p{Script=Hiragana}ー]+)|[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}]|['’](?=\p{L}))*/gu;
/** What names no topic: who speaks, when, and that something was said. */
const SAYS_NOTHING =
  /私|僕|俺|自分|以前|前回|この間|昨日|先日|(?:わたし|ぼく|おれ|うち|じぶん)(?=の|は|が)|何か|話し?|件|こと|もの/gu;

/** The words of a topic, each in the form in which it is looked for. */
export interface TopicTerms {
  readonly words: readonly string[];
  /** Parts of a script without spaces. */
  readonly parts: readonly string[];
}

export function topicTermsOf(topic: string): TopicTerms {
  const text = topic.normalize('NFKC').toLowerCase();
  const bare = text.replace(SAYS_NOTHING, ' ');
  const found = termsIn(bare);
  return isEmpty(found) ? termsIn(text) : found;
}

/** How much of a topic a text names, from 0 to 1. */
export function shareNamed({ words, parts }: TopicTerms, text: string): number {
  const normal = text.normalize('NFKC').toLowerCase();
  const said = new Set([...normal.matchAll(RUN)].map(([run]) => wordOf(run)));
  const folded = foldKana(normal);
  const named =
    words.filter((word) => said.has(word)).length + parts.filter((part) => folded.includes(part)).length;
  const all = words.length + parts.length;
  return all === 0 ? 0 : named / all;
}

function termsIn(text: string): TopicTerms {
  const words = new Set<string>();
  const parts = new Set<string>();
  const hiragana = new Set<string>();
  for (const { 0: run, groups } of text.matchAll(RUN)) {
    const { han, katakana, hiragana: kana } = groups ?? {};
    if (han !== undefined) for (const part of pairsOf(han)) parts.add(part);
    else if (katakana !== undefined) parts.add(foldKana(katakana));
    else if (kana !== undefined) for (const part of kanaWordsOf(kana)) hiragana.add(part);
    else {
      const word = wordOf(run);
      if (word !== null) words.add(word);
    }
  }
  // Between other words hiragana is grammar.
  if (words.size + parts.size === 0) for (const part of hiragana) parts.add(part);
  return { words: [...words], parts: [...parts] };
}

/** 「誕生日」 is also named by a text with 「誕生」 in part. */
function pairsOf(han: string): string[] {
  const characters = [...han];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** Between particles. */
function kanaWordsOf(run: string): string[] {
  return run.split(/[のはがをにへと]/).filter((word) => word.length > 1);
}

function isEmpty({ words, parts }: TopicTerms): boolean {
  return words.length + parts.length === 0;
}
