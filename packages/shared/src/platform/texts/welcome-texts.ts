import type { TaskStatus } from '../../contract/task.ts';
import type { Locale } from './locale.ts';

export type { Locale } from './locale.ts';

interface WelcomeTexts {
  readonly ownerName: string;
  readonly project: { readonly name: string; readonly description: string };
  readonly guide: { readonly name: string; readonly role: string };
  readonly helper: { readonly name: string; readonly role: string };
  readonly tasks: readonly {
    readonly title: string;
    readonly description: string;
    readonly status: TaskStatus;
  }[];
}

/** The content of the welcome project at the first start, in the language of the product. */
export const WELCOME_TEXTS: Readonly<Record<Locale, WelcomeTexts>> = {
  ja: {
    ownerName: 'オーナー',
    project: {
      name: 'ようこそ',
      description: 'Aizuchi を試すためのプロジェクトです。自由に変えたり、削除したりできます。',
    },
    guide: { name: 'しるべ', role: '案内係' },
    helper: { name: 'こだま', role: 'お手伝い' },
    tasks: [
      {
        title: 'Aizuchi を起動する',
        description: 'この画面が見えていれば完了です。',
        status: 'done',
      },
      {
        title: 'しるべに「タスクの進捗を教えてください」と聞いてみる',
        description: '上のアイコンからチャットを開き、メッセージを送ります。',
        status: 'todo',
      },
      {
        title: '自分のプロジェクトを作る',
        description: '作業フォルダを選び、エージェントを追加します。',
        status: 'backlog',
      },
    ],
  },
  en: {
    ownerName: 'Owner',
    project: {
      name: 'Welcome',
      description: 'A project to try Aizuchi with. Change or delete it as you like.',
    },
    guide: { name: 'Beacon', role: 'Guide' },
    helper: { name: 'Echo', role: 'Helper' },
    tasks: [
      {
        title: 'Start Aizuchi',
        description: 'Done, if you can see this.',
        status: 'done',
      },
      {
        title: 'Ask Beacon "How are the tasks going?"',
        description: 'Open the chat with the icon at the top and send a message.',
        status: 'todo',
      },
      {
        title: 'Make a project of your own',
        description: 'Choose a working directory and add agents.',
        status: 'backlog',
      },
    ],
  },
};
