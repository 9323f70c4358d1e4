import type { CreateScheduleBody, Schedule } from '@aizuchi/shared/contract/schedule';
import { localTimeZone, readCron } from './cron.ts';

export interface ScheduleDraft {
  readonly agentId: string;
  readonly cron: string;
  readonly timeZone: string;
  readonly prompt: string;
  readonly enabled: boolean;
  readonly onMissed: Schedule['onMissed'];
}

/** The limit of contract/schedule; schedule-draft.test.ts compares them. */
export const MAX_PROMPT_LENGTH = 4_000;

/** Offered as buttons. */
export const CRON_EXAMPLES = ['0 9 * * 1-5', '0 18 * * *', '0 9 * * 1', '0 9 1 * *', '0 */2 * * *'] as const;

export function draftOf(schedule: Schedule | undefined, firstAgentId: string): ScheduleDraft {
  if (schedule) {
    const { agentId, cron, timeZone, prompt, enabled, onMissed } = schedule;
    return { agentId, cron, timeZone, prompt, enabled, onMissed };
  }
  return {
    agentId: firstAgentId,
    cron: CRON_EXAMPLES[0],
    timeZone: localTimeZone(),
    prompt: '',
    enabled: true,
    onMissed: 'skip',
  };
}

export type PromptProblem = 'promptRequired' | 'promptTooLong';

export function promptProblem(prompt: string): PromptProblem | undefined {
  const { length } = [...prompt.trim()];
  if (length === 0) return 'promptRequired';
  return length > MAX_PROMPT_LENGTH ? 'promptTooLong' : undefined;
}

/** The body of the request; undefined while the server would refuse it. */
export function bodyOf(draft: ScheduleDraft, now: Date): CreateScheduleBody | undefined {
  const isWrong =
    draft.agentId === '' ||
    promptProblem(draft.prompt) !== undefined ||
    !readCron(draft.cron, draft.timeZone, now, 1).ok;
  return isWrong ? undefined : { ...draft, cron: draft.cron.trim(), prompt: draft.prompt.trim() };
}
