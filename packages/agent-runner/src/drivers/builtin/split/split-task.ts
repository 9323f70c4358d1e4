import { ToolRefused } from '@aizuchi/shared/mcp-client/tool-errors';
import type { AgentView } from '../../../driver.ts';
import type { Language } from '../../../language.ts';
import { excerptOf } from '../excerpt.ts';
import { partsOf } from './parts-of.ts';
import { SPLIT_TEXTS } from './split-texts.ts';

const TITLE_LENGTH = 60;

/** Proposes the items of the task's list as its parts; returns what is said in the chat. `taskId` null: nobody said which. */
export async function splitTask(
  taskId: string | null,
  { messageId, language }: { readonly messageId: string; readonly language: Language },
  { tools }: Pick<AgentView, 'tools'>,
): Promise<string> {
  const texts = SPLIT_TEXTS[language];
  if (taskId === null) return texts.which;
  try {
    const { task } = await tools.call('get_task', { task_id: taskId });
    const title = excerptOf(task.title, TITLE_LENGTH);
    const { parts, left } = partsOf(task.description);
    if (parts.length === 0) return texts.noList(title);
    await tools.call('propose_subtasks', {
      task_id: taskId,
      subtasks: [...parts],
      idempotency_key: `split:${messageId}`,
    });
    return texts.proposed(title, parts.length, left);
  } catch (error) {
    if (error instanceof ToolRefused) return texts.refused[error.code] ?? texts.refusedElse(error.message);
    throw error;
  }
}
