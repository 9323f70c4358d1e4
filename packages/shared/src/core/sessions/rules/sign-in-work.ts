import type { Purpose } from '../../rules/work-key.ts';

/** A wake-up or a live session of the membership. */
interface OfPair {
  readonly purpose: Purpose;
  readonly taskId: string;
}

/**
 * What a sign-in by passkey is for: `''` the chat, else a task. It takes the waiting row, that of the chat before those
 * of tasks (`rows` in their order); who asks for a task and finds none waiting means the one that is worked on. Without
 * any it is a chat, for a task session needs a task. Who names no purpose means the chat as long as that lives: two
 * processes with one passkey must not divide chat and task by chance.
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
