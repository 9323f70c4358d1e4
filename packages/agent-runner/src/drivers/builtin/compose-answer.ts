import type { TaskList } from '@aizuchi/shared/contract/tools/project-tools';
import { type Language, languageOf } from '../../language.ts';
import { excerptOf } from './excerpt.ts';
import { type Intent, recognise } from './intent.ts';
import { describeProgress } from './progress.ts';
import { TEXTS } from './texts.ts';

export interface Asked {
  readonly content: string;
}

export interface Composing {
  readonly agentName: string;
  /** When a message shows no language ("👍"): that of what was written before, else this. */
  readonly fallback: Language;
  /** Asked at most once an answer, and only when it is needed. */
  readonly readBoard: () => Promise<TaskList>;
}

const QUOTE_LENGTH = 40;

/** One answer to all messages of a batch, in their order, each in the language it was asked in. */
export async function composeAnswer(messages: readonly Asked[], composing: Composing): Promise<string> {
  let board: Promise<TaskList> | undefined;
  const readBoard = () => {
    board ??= composing.readBoard();
    return board;
  };
  let language = composing.fallback;
  const parts: string[] = [];
  for (const { content } of messages) {
    language = languageOf(content) ?? language;
    const { intent, greets } = recognise(content);
    const reply = await replyTo(intent, language, { ...composing, readBoard });
    const texts = TEXTS[language];
    const whole = greets && intent !== 'greeting' ? `${texts.hello}\n${reply}` : reply;
    parts.push(messages.length > 1 ? `${texts.quote(excerptOf(content, QUOTE_LENGTH))}\n${whole}` : whole);
  }
  return parts.join('\n\n');
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
