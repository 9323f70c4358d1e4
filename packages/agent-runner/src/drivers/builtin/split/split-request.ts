import type { Message } from '@aizuchi/shared/contract/chat';

const SPLIT_JA = /分割|(?:小分け|細かく)|分けて|わけて/;
const SPLIT_EN = /\bsplit\b|\bbreak\b.{0,40}\b(?:down|up)\b/i;
const TASK_ID = /\btsk_[a-z0-9_-]{1,60}/;
/** Longer texts tell something. */
const LONGEST_REQUEST = 700;

/** The task that a person wants to be split; null: it is not said which; undefined: the message is about something else. */
export function splitRequestOf({
  content,
  relatedTaskId,
}: Pick<Message, 'content' | 'relatedTaskId'>): string | null | undefined {
  if (content.length > LONGEST_REQUEST || !(SPLIT_JA.test(content) || SPLIT_EN.test(content)))
    return undefined;
  const taskId = relatedTaskId ?? TASK_ID.exec(content)?.[0];
  if (taskId !== undefined) return taskId;
  return /タスク|\btask\b|\bsplit (?:this|it)\b|これを?(?:分割|分けて)/i.test(content) ? null : undefined;
}
