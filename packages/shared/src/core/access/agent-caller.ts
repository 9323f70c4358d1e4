import type { WorkKey } from '../rules/work-key.ts';

/** The agent session that calls; resolved from its bearer once per call. */
export interface AgentCaller extends WorkKey {
  readonly sessionId: string;
  /**
   * False: the session ended less than ten minutes ago, or its credential was revoked. Then only
   * get_next_action (with exit or logout) and logout answer it.
   */
  readonly live: boolean;
  /** It works in the folder of its project, one at a time with others (sessions/rules/folder-lease.ts). */
  readonly sharesFolder: boolean;
  /** Messages of people are given to it with what memory holds about them: to all but runs of the built-in agent. */
  readonly usesMemory: boolean;
}
