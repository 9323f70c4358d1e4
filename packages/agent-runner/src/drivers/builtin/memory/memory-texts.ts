import type { MemorySource } from '@aizuchi/shared/contract/memory';
import type { Language } from '../../../language.ts';

interface Quoted {
  /** null: not known. */
  readonly by: string | null;
  /** Where it was said; `self`: the agent has noted it itself; undefined: not known. */
  readonly source: MemorySource | 'self' | undefined;
  /** The clock on the wall: 2026-05-03 10:00. */
  readonly at: string;
  readonly quote: string;
}

interface MemoryTexts {
  readonly found: (topic: string, entries: readonly Quoted[]) => string;
  readonly nothing: (topic: string) => string;
  readonly away: string;
  /** A part of the search was late: that nothing was found says nothing. */
  readonly late: string;
  readonly remembered: (text: string) => string;
}

const MONTHS_EN =
  'January February March April May June July August September October November December'.split(' ');

const SOURCES_JA: Readonly<Record<MemorySource, string>> = {
  chat: 'チャット',
  agent_conversation: 'エージェントとの会話',
  import: '取り込んだ記録',
  remember: 'メモ',
  vision_detail: '画像の説明',
};
const SOURCES_EN: Readonly<Record<MemorySource, string>> = {
  chat: 'in the chat',
  agent_conversation: 'in a conversation of agents',
  import: 'in imported records',
  remember: 'in a note',
  vision_detail: 'in the description of an image',
};

/** What the built-in agent says of its memory, complete in each language by this type. */
export const MEMORY_TEXTS: Readonly<Record<Language, MemoryTexts>> = {
  ja: {
    found: (topic, entries) =>
      [
        `「${topic}」について覚えていることです。`,
        ...entries.map(({ by, source, at, quote }) => `- ${dateJa(at)}、${whoJa(by, source)}：「${quote}」`),
      ].join('\n'),
    nothing: (topic) => `「${topic}」については覚えていません。`,
    away: 'いま記憶を検索できないため、お答えできません（記憶サービスが応答していません）。しばらくしてから、もう一度お聞きください。',
    late: '記憶の検索が間に合わなかったため、お答えできません。もう一度お聞きください。',
    remembered: (text) => `「${text}」と覚えました。`,
  },
  en: {
    found: (topic, entries) =>
      [
        `This is what I remember about "${topic}":`,
        ...entries.map(({ by, source, at, quote }) => `- ${dateEn(at)}, ${whoEn(by, source)}: "${quote}"`),
      ].join('\n'),
    nothing: (topic) => `I don't know. I remember nothing about "${topic}".`,
    away: 'I cannot search my memory at the moment, because the memory service does not answer. Please ask me again in a while.',
    late: 'My memory did not answer in time, so I cannot say. Please ask me again.',
    remembered: (text) => `I will remember this: "${text}"`,
  },
};

function whoJa(by: string | null, source: Quoted['source']): string {
  if (source === 'self') return '私のメモ';
  const who = by === null ? '発言者不明' : `${by}さん`;
  return source === undefined ? who : `${who}（${SOURCES_JA[source]}）`;
}

function whoEn(by: string | null, source: Quoted['source']): string {
  if (source === 'self') return 'a note of mine';
  const who = by ?? 'not known who';
  return source === undefined ? who : `${who} (${SOURCES_EN[source]})`;
}

function dateJa(at: string): string {
  const { year, month, day, time } = partsOf(at);
  return `${year}年${month}月${day}日 ${time}`;
}

function dateEn(at: string): string {
  const { year, month, day, time } = partsOf(at);
  return `${day} ${MONTHS_EN[month - 1]} ${year}, ${time}`;
}

function partsOf(at: string) {
  const [date = '', time = ''] = at.split(' ');
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  return { year, month, day, time };
}
