import type { Message } from '@aizuchi/shared/contract/chat';
import { type Language, languageOf } from '../../../language.ts';
import { en } from './texts.en.ts';
import { ja } from './texts.ja.ts';
import type { AcpTexts } from './texts-shape.ts';

const TEXTS: Readonly<Record<Language, AcpTexts>> = { ja, en };

function languageFor(messages: readonly Message[]): Language {
  const languages = messages.map(({ content }) => languageOf(content));
  return languages.find((language) => language !== undefined) ?? 'ja';
}

/** In the language of the messages, else in Japanese, as the runner's own sentences. */
export function textsFor(messages: readonly Message[]): AcpTexts {
  return TEXTS[languageFor(messages)];
}
