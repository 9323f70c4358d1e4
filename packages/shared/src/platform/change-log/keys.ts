/**
 * The dirty keys in a NOTIFY: they name the readers that should check again. Ids contain only [a-z0-9_-], so
 * `/`, `:` and `,` are safe separators. A key is a hint; the data is always read from the tables.
 */
export const keys = {
  /**
   * Messages, session state or control of one (agent, project): held calls of that membership check again.
   */
  membership: (projectId: string, agentId: string) => `a:${projectId}/${agentId}`,
  /** The change log of one project: WebSocket readers check again. */
  log: (projectId: string) => `l:${projectId}`,
  /** The change log of no project in particular (coordinators, inbox). */
  globalLog: 'l:',
  /** Work that a Coordinator could start or must stop. */
  work: 'w',
  /** Settings changed. */
  settings: 's',
  /** A deadline that no other key announces: the sweeper checks again. */
  deadline: 'd',
  /** Somebody stops a turn of POST /api/chat: the process that runs it ends it. */
  turn: (eventId: string) => `t:${eventId}`,
  /** Something was stored in the memory of this agent, from which something can grow. */
  memory: (agentId: string) => `m:${agentId}`,
  /** An agent asks a person for an image, or does not any more. */
  vision: (agentId: string) => `v:${agentId}`,
  /** A person is told of something in another way, or at another place. */
  notifications: 'n',
  /** A person's bearers were revoked or rights changed: caches remove them. */
  caller: (agentId: string) => `u:${agentId}`,
  /** An mcp-server process is there. */
  peer: (instanceId: string) => `p:${instanceId}`,
  /** At the process `instanceId` a call of this session was opened: it ends the older ones at other processes. */
  newerCall: (instanceId: string, sessionId: string, openedAtMs: number) =>
    `h:${instanceId}/${sessionId}/${openedAtMs}`,
} as const;

/** Whether this key says that the change log has grown. */
export function isOfLog(key: string): boolean {
  return key.startsWith('l:');
}

/** Whether this key says that something was stored in a memory. */
export function isOfMemory(key: string): boolean {
  return key.startsWith('m:');
}

/** Whether a row of this key may have become due earlier. */
export function movesDeadlines(key: string): boolean {
  return /^(a:|l:|[wsd]$)/.test(key);
}

/** A listener lost its connection and cannot know what it missed: every reader checks again. */
export const EVERYTHING = '*';
