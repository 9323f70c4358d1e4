import type { Language } from '../../../language.ts';

interface SplitTexts {
  readonly proposed: (title: string, count: number, left: number) => string;
  readonly which: string;
  readonly noList: (title: string) => string;
  /** By the code of the refusal. */
  readonly refused: Readonly<Record<string, string>>;
  readonly refusedElse: (message: string) => string;
}

export const SPLIT_TEXTS: Readonly<Record<Language, SplitTexts>> = {
  ja: {
    proposed: (title, count, left) =>
      `「${title}」を${count}件に分ける提案を、タスクのカードに表示しました。選んで承認すると、子タスクになります。${left > 0 ? `\nリストの残り${left}件は、一度に提案できる数を超えたため含めていません。` : ''}`,
    which:
      'どのタスクを分けますか。タスクを開いて「分割を頼む」を押すか、タスクのID（tsk_…）を添えてください。',
    noList: (title) =>
      `「${title}」の説明にリスト（「- …」や「1. …」）がないため、私には分けられません。リストを書くか、モデルを使うエージェントに頼んでください。`,
    refused: {
      task_not_found: 'そのタスクは、このプロジェクトに見つかりませんでした。',
      proposal_open:
        'ほかのエージェントの提案が、まだ決まっていません。タスクのカードで承認するか断ってください。',
      chain_limit: 'エージェントどうしの作業の上限に達したため、提案できませんでした。',
    },
    refusedElse: (message) => `分割を提案できませんでした（${message}）。`,
  },
  en: {
    proposed: (title, count, left) =>
      `I have proposed ${count === 1 ? '1 part' : `${count} parts`} of "${title}". The card stands on the task: choose, and accept.${left > 0 ? `\n${left} more of the list did not fit into one proposal.` : ''}`,
    which: 'Which task shall I split? Open it and press "Ask to split it", or name its id (tsk_…).',
    noList: (title) =>
      `The description of "${title}" holds no list ("- …" or "1. …"), so I cannot split it. Write one, or ask an agent with a model.`,
    refused: {
      task_not_found: 'There is no such task in this project.',
      proposal_open:
        'Another agent has proposed parts, and nobody has decided yet: accept or decline them on the task.',
      chain_limit:
        'Agents have reached the limit of what they may begin for one another, so I proposed nothing.',
    },
    refusedElse: (message) => `I could not propose parts: ${message}`,
  },
};
