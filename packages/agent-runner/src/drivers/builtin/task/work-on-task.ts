import { setTimeout as delay } from 'node:timers/promises';
import type { MyTask } from '@aizuchi/shared/contract/tools/task-tools';
import type { Turn } from '../../../driver.ts';
import { languageOf } from '../../../language.ts';
import { describeProgress } from '../progress.ts';
import { readBoard } from '../read-board.ts';
import { TEXTS } from '../texts.ts';
import { doneBefore, planOf, progressNote } from './task-plan.ts';
import { TASK_TEXTS } from './task-texts.ts';

/** Between two items: people see it work, and can stop it in the middle. */
const PACE_MS = 700;

/** Works on the task and reports it. Returns what it reported. Rejects when the turn is aborted. */
export async function workOnTask(turn: Turn, mine: MyTask): Promise<string> {
  const { task } = mine;
  const language = languageOf(`${task.title}\n${task.description}`) ?? 'ja';
  const texts = TASK_TEXTS[language];
  const plan = planOf(task);
  switch (plan.kind) {
    case 'checklist':
      await tick(turn, mine, plan.items, texts.ticked);
      return report(turn, 'done', plan.items.length > 0 ? texts.allDone(plan.items) : texts.nothingOpen);
    case 'summary':
      return report(turn, 'done', describeProgress(await readBoard(turn), TEXTS[language]));
    case 'unknown':
      return report(turn, 'blocked', texts.cannot);
  }
}

async function tick(
  { tools, signal, agentId }: Turn,
  mine: MyTask,
  items: readonly string[],
  textOf: (n: number, total: number, item: string) => string,
): Promise<void> {
  const { task_id, status } = mine.task;
  const total = items.length;
  const before = doneBefore(items, mine);
  // A crash may have come between a comment and its note.
  const lastSaid = mine.comments.findLast(({ author_id: author }) => author === agentId)?.text;
  for (const [index, item] of items.entries()) {
    if (index < before) continue;
    if (index > before) await delay(PACE_MS, undefined, { signal });
    const n = index + 1;
    const comment = textOf(n, total, item);
    if (index > before || lastSaid !== comment)
      await tools.call('update_task_status', {
        task_id,
        status,
        comment,
        idempotency_key: `tick:${mine.attempt}:${n}`,
      });
    await tools.call('save_context', {
      text: progressNote(n, total, item),
      idempotency_key: `saved:${mine.attempt}:${n}`,
    });
  }
}

async function report({ tools }: Turn, result: 'done' | 'blocked', summary: string): Promise<string> {
  await tools.call('report_completed', { result, summary, idempotency_key: 'report' });
  return summary;
}
