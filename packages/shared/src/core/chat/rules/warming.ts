import type { ProviderName } from '../../agents/rules/providers.ts';

/** The setting `warmOnHover`: whose chat may be opened before a person opens it. */
export const WARM_ON_HOVER = { never: 0, builtin: 1, all: 2 } as const;

/** The facts on which it depends whether an agent is started because a pointer rests on it. */
export interface WarmingView {
  readonly setting: number;
  readonly provider: ProviderName;
  /** It is started only when there is work. */
  readonly isPerWork: boolean;
  /** It has a session or a wake-up for its chat. */
  readonly isAwake: boolean;
  /** Its last run in this project did not end as it should. */
  readonly hasFailed: boolean;
  /** It has used its tokens of today. */
  readonly isOverLimit: boolean;
  /** Free places of all live Coordinators. */
  readonly freePlaces: number;
}

export const WARMING_REFUSALS = ['off', 'per_work', 'awake', 'failed', 'over_limit', 'no_place'] as const;
export type WarmingRefusal = (typeof WARMING_REFUSALS)[number];

/**
 * Undefined: it may be started. A guess never makes anybody wait: one place stays free for a chat that is opened. Nor
 * does it say anything in a chat, as a start that fails or is refused does.
 */
export function decideWarming(view: WarmingView): WarmingRefusal | undefined {
  const isAllowed =
    view.setting === WARM_ON_HOVER.all ||
    (view.setting === WARM_ON_HOVER.builtin && view.provider === 'builtin');
  if (!isAllowed) return 'off';
  if (view.isPerWork) return 'per_work';
  if (view.isAwake) return 'awake';
  if (view.hasFailed) return 'failed';
  if (view.isOverLimit) return 'over_limit';
  return view.freePlaces >= 2 ? undefined : 'no_place';
}
