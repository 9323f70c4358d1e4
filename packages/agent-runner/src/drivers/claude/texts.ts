import type { Message } from '@aizuchi/shared/contract/chat';
import { type Language, languageOf } from '../../language.ts';
import { en } from './texts.en.ts';
import { ja } from './texts.ja.ts';
import type { ClaudeTexts } from './texts-shape.ts';

const TEXTS: Readonly<Record<Language, ClaudeTexts>> = { ja, en };

/** In the language of the messages, else in Japanese, as the runner's own sentences. */
export function textsFor(messages: readonly Message[]): ClaudeTexts {
  const languages = messages.map(({ content }) => languageOf(content));
  return TEXTS[languages.find((language) => language !== undefined) ?? 'ja'];
}
