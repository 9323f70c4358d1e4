import type { TaskAttempt } from '@aizuchi/shared/contract/task';
import type { IconName } from '../../../../components/icon-paths.ts';

type Outcome = NonNullable<TaskAttempt['outcome']>;

/** How the end of an attempt is shown. */
export const ATTEMPT_LOOKS: Readonly<Record<Outcome, { readonly icon: IconName; readonly tone: string }>> = {
  done: { icon: 'done', tone: 'text-green-ink' },
  blocked: { icon: 'blocked', tone: 'text-amber-ink' },
  cancelled: { icon: 'cancelled', tone: 'text-ink-2' },
  taken_away: { icon: 'people', tone: 'text-ink-2' },
  crashed: { icon: 'warning', tone: 'text-red-ink' },
  stopped: { icon: 'stop', tone: 'text-ink-2' },
};
