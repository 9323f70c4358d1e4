import type { Message } from '@aizuchi/shared/contract/chat';
import { type Language, languageOf } from '../language.ts';

const TEXTS: Readonly<Record<Language, string>> = {
  ja: '申し訳ありません。回答の準備中に問題が起きました。少し待ってからもう一度お試しください。',
  en: 'I am sorry, something went wrong while I prepared the answer. Please try again in a moment.',
};

/** What the runner says in the agent's name when the driver has failed: a delivered batch must be answered. */
export function failureText(messages: readonly Message[]): string {
  const languages = messages.map(({ content }) => languageOf(content));
  return TEXTS[languages.find((language) => language !== undefined) ?? 'ja'];
}
