import type { TaskList } from '@aizuchi/shared/contract/tools/project-tools';
import { type Language, languageOf } from '../../language.ts';
import { excerptOf } from './excerpt.ts';
import { askedWord, type Intent, recognise } from './intent.ts';
import { describeProgress } from './progress.ts';
import { TEXTS } from './texts.ts';

export interface Asked {
  readonly id: string;
  readonly content: string;
  readonly attachments?: readonly { readonly name: string; readonly size: number }[] | undefined;
}

export interface Composing {
  readonly agentName: string;
  /** When a message shows no language ("👍"): that of what was written before, else this. */
  readonly fallback: Language;
  /** Answers that are made elsewhere, by message; null: the message needs none. */
  readonly replies: ReadonlyMap<string, string | null>;
  /** Asked at most once an answer, and only when it is needed. */
  readonly readBoard: () => Promise<TaskList>;
}

const QUOTE_LENGTH = 40;

/** One answer to all messages of a batch, in their order, each in the language it was asked in; null: none. */
export async function composeAnswer(
  messages: readonly Asked[],
  composing: Composing,
): Promise<string | null> {
  let board: Promise<TaskList> | undefined;
  const readBoard = () => {
    board ??= composing.readBoard();
    return board;
  };
  let language = composing.fallback;
  const parts: { quote: string; reply: string }[] = [];
  for (const { id, content, attachments } of messages) {
    language = languageOf(content) ?? language;
    const made = composing.replies.get(id);
    const asked = { content, attachments };
    const reply = made === undefined ? await answerTo(asked, language, { ...composing, readBoard }) : made;
    if (reply !== null) parts.push({ quote: TEXTS[language].quote(excerptOf(content, QUOTE_LENGTH)), reply });
  }
  if (parts.length <= 1) return parts[0]?.reply ?? null;
  return parts.map(({ quote, reply }) => `${quote}\n${reply}`).join('\n\n');
}

async function answerTo(
  { content, attachments = [] }: Omit<Asked, 'id'>,
  language: Language,
  composing: Composing,
): Promise<string> {
  const { intent, greets } = recognise(content);
  if (attachments.length > 0) {
    const { received, cannotRead } = TEXTS[language];
    const said = received(attachments.map(({ name, size }) => `${name} (${sizeText(size)})`));
    return `${said}\n${intent === 'unknown' ? cannotRead : await replyTo(intent, language, composing)}`;
  }
  const word = askedWord(content);
  if (word !== undefined) return word;
  const reply = await replyTo(intent, language, composing);
  return greets && intent !== 'greeting' ? `${TEXTS[language].hello}\n${reply}` : reply;
}

async function replyTo(intent: Intent, language: Language, composing: Composing): Promise<string> {
  const texts = TEXTS[language];
  switch (intent) {
    case 'progress':
      return describeProgress(await composing.readBoard(), texts);
    case 'capabilities':
      return texts.capabilities;
    case 'identity':
      return `${texts.identity(composing.agentName)}\n${texts.capabilities}`;
    case 'greeting':
      return `${texts.hello}${language === 'en' ? ' ' : ''}${texts.identity(composing.agentName)}\n${texts.capabilities}`;
    case 'thanks':
      return texts.thanks;
    case 'unknown':
      return `${texts.cannot}\n${texts.capabilities}`;
  }
}

function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
