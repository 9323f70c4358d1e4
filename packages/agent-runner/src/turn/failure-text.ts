import type { Message } from '@aizuchi/shared/contract/chat';
import { type Language, languageOf } from '../language.ts';

interface Texts {
  readonly failed: string;
  readonly cut: string;
  readonly unfinished: string;
  readonly refused: (code: string) => string;
}

const TEXTS: Readonly<Record<Language, Texts>> = {
  ja: {
    failed: '申し訳ありません。回答の準備中に問題が起きました。少し待ってからもう一度お試しください。',
    cut: '回答が 1 件のメッセージの上限より長いため、ここで終わっています。続きが必要なら、そう書いてください。',
    unfinished: 'ここまで進めましたが、回答には至りませんでした。',
    refused: (code) =>
      `回答は作成されましたが、サーバーが保存を受け付けませんでした（${code}）。もう一度送信してください。続く場合は、このエージェントの実行ログを確認してください。`,
  },
  en: {
    failed: 'I am sorry, something went wrong while I prepared the answer. Please try again in a moment.',
    cut: 'The answer ends here because it is longer than a message may be. Ask for the rest if you need it.',
    unfinished: 'I came as far as this, but not to an answer.',
    refused: (code) =>
      `The answer was written, but the server did not take it (${code}). Send the message again; if it stays so, look at the log of this agent's run.`,
  },
};

/** Why there is no answer, where the driver has not said it. */
export function failureText(messages: readonly Message[]): string {
  return textsFor(messages).failed;
}

/** What follows an answer of which only the beginning is kept. */
export function cutNote(messages: readonly Message[]): string {
  return textsFor(messages).cut;
}

/** What carries the steps of a turn that failed before it had a text. */
export function unfinishedNote(messages: readonly Message[]): string {
  return textsFor(messages).unfinished;
}

/** What stands in place of an answer that the server has refused. */
export function refusalText(messages: readonly Message[], code: string): string {
  return textsFor(messages).refused(code);
}

function textsFor(messages: readonly Message[]): Texts {
  const languages = messages.map(({ content }) => languageOf(content));
  return TEXTS[languages.find((language) => language !== undefined) ?? 'ja'];
}
