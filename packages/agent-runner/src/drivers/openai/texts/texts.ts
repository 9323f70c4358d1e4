import type { Message } from '@aizuchi/shared/contract/chat';
import { type Language, languageOf } from '../../../language.ts';
import { EN } from './texts.en.ts';
import { JA } from './texts.ja.ts';
import type { OpenAiTexts } from './texts-shape.ts';

const TEXTS: Readonly<Record<Language, OpenAiTexts>> = { ja: JA, en: EN };

/** In the language of the newest message that shows one. */
export function textsFor(messages: readonly Message[]): OpenAiTexts {
  const languages = messages.map(({ content }) => languageOf(content));
  return TEXTS[languages.findLast((language) => language !== undefined) ?? 'ja'];
}
