import type { Task } from '@aizuchi/shared/contract/task';
import type { ReactNode } from 'react';
import type { Strip } from '../card/card-strip.ts';

export interface ViewProps {
  /** Those that fit the filter. */
  readonly tasks: readonly Task[];
  readonly strips: ReadonlyMap<string, Strip>;
  readonly renderCard: (task: Task) => ReactNode;
}
