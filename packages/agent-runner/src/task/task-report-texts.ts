import { type Language, languageOf } from '../language.ts';

interface Texts {
  readonly silent: string;
  readonly again: string;
}

const TEXTS: Readonly<Record<Language, Texts>> = {
  ja: {
    silent: 'エージェントは、結果を報告せずに終了しました。実行ログを確認してください。',
    again: '原因を取り除いてから、タスクをもう一度「進行中」に移してください。',
  },
  en: {
    silent: 'The agent ended without a report of its work. Look at the log of the run.',
    again: 'When the cause is removed, move the task to In progress again.',
  },
};

export function reportTexts({ title, description }: { title: string; description: string }): Texts {
  return TEXTS[languageOf(`${title}\n${description}`) ?? 'ja'];
}
