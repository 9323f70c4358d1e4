import type { Language } from './language.ts';

/** What the runner itself says in the agent's name when its driver has failed. */
export const TURN_TEXTS: Readonly<Record<Language, { readonly failed: string }>> = {
  ja: { failed: '申し訳ありません。回答の準備中に問題が起きました。少し待ってからもう一度お試しください。' },
  en: {
    failed: 'I am sorry, something went wrong while I prepared the answer. Please try again in a moment.',
  },
};
