import type { WorkKey } from '../rules/work-key.ts';

/** Which agent session is calling; resolved from its bearer once per call. */
export interface AgentCaller extends WorkKey {
  readonly sessionId: string;
  /**
   * False: it ended less than ten minutes ago, or what it was allowed to was revoked; only get_next_action answers it,
   * with exit or logout, and logout.
   */
  readonly live: boolean;
}
