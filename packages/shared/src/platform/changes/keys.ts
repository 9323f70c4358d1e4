/**
 * The words that NOTIFY carries: which readers should look again. Ids hold only [a-z0-9_-], so `/`, `:` and `,`
 * separate safely. A key is a hint; what it is about is always read from the tables.
 */
export const keys = {
  /** Messages, session state or control of one (agent, project): held calls of that membership look again. */
  membership: (projectId: string, agentId: string) => `a:${projectId}/${agentId}`,
  /** The change log of one project: WebSocket readers look again. */
  log: (projectId: string) => `l:${projectId}`,
  /** The change log of no project in particular (coordinators, inbox). */
  globalLog: 'l:',
  /** Work that a Coordinator could start or must stop. */
  work: 'w',
  /** Settings changed. */
  settings: 's',
  /** Something is due by the clock that no other key speaks of: the sweeper looks. */
  deadline: 'd',
  /** A person's bearers were revoked or his rights changed: caches forget them. */
  caller: (agentId: string) => `u:${agentId}`,
} as const;

/** Whether this key says that the change log has grown. */
export function isOfLog(key: string): boolean {
  return key.startsWith('l:');
}

/** Whether something may have become due earlier with what this key stands for. */
export function movesDeadlines(key: string): boolean {
  return /^(a:|l:|[wsd]$)/.test(key);
}

/** A listener lost its connection and cannot know what it missed: every reader looks again. */
export const EVERYTHING = '*';
