import type { Purpose } from '../../rules/work-key.ts';

/** A wake-up or a live session of the membership. */
interface OfPair {
  readonly purpose: Purpose;
  readonly taskId: string;
}

/**
 * The work of a sign-in by passkey: `''` is the chat, else a task. It takes the waiting row, that of the chat
 * before those of tasks (`rows` in their order, those that may be taken: isForSignIn); a sign-in for a task without a waiting row means the task
 * that is worked on. Without any task it is a chat, because a task session needs a task. A sign-in without a
 * purpose means the chat while a chat session lives: two processes with one passkey must not divide chat and
 * task by chance.
 */
export function decideSignInTask(
  wanted: Purpose | undefined,
  { rows, live }: { readonly rows: readonly OfPair[]; readonly live: readonly OfPair[] },
): string {
  if (wanted === 'chat') return '';
  const isForChat = [...rows, ...live].some(({ purpose }) => purpose === 'chat');
  if (wanted === undefined && isForChat) return '';
  const tasks = wanted === undefined ? rows : [...rows, ...live];
  return tasks.find(({ purpose }) => purpose === 'task')?.taskId ?? '';
}
