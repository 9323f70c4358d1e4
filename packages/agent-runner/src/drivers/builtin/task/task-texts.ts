import type { Language } from '../../../language.ts';

interface TaskTexts {
  readonly ticked: (n: number, total: number, item: string) => string;
  readonly allDone: (items: readonly string[]) => string;
  readonly nothingOpen: string;
  readonly cannot: string;
}

export const TASK_TEXTS: Readonly<Record<Language, TaskTexts>> = {
  ja: {
    ticked: (n, total, item) => `✓ ${n}/${total} ${item}`,
    allDone: (items) =>
      `チェックリストの${items.length}件をすべて終えました。\n${items.map((item) => `- [x] ${item}`).join('\n')}`,
    nothingOpen: 'チェックリストの項目は、すべてチェック済みでした。',
    cannot:
      '組み込みのエージェントは、説明にチェックリスト（「- [ ] …」）があるタスクと、「ボードをまとめて」だけを実行できます。チェックリストを書くか、モデルを使うエージェントに割り当ててから、もう一度「進行中」にしてください。',
  },
  en: {
    ticked: (n, total, item) => `✓ ${n}/${total} ${item}`,
    allDone: (items) =>
      `${items.length === 1 ? 'The 1 item' : `All ${items.length} items`} of the checklist ${items.length === 1 ? 'is' : 'are'} done.\n${items.map((item) => `- [x] ${item}`).join('\n')}`,
    nothingOpen: 'All items of the checklist were ticked already.',
    cannot:
      'The built-in agent can only work on a task with a checklist in its description ("- [ ] …"), and on "Summarise the board". Write a checklist, or assign an agent with a model, and move the task to In progress again.',
  },
};
