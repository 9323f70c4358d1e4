/**
 * All keys of the query cache. Those of a project begin with `project(pid)`, so that all of its data can be invalidated
 * at once (after a reset of the socket, and when polling).
 */
export const keys = {
  me: ['me'] as const,
  projects: ['projects'] as const,
  agents: ['agents'] as const,
  offeredModels: ['offered-models'] as const,
  hostPrograms: ['host-programs'] as const,
  knownModels: ['known-models'] as const,
  agentUsage: (aid: string) => ['agent-usage', aid] as const,
  /** The page of a memory. Without `what` the common prefix of all that is shown of it. */
  memory: (aid: string, ...what: readonly string[]) => ['memory', aid, ...what] as const,
  settings: ['settings'] as const,
  tokens: ['tokens'] as const,
  coordinators: ['coordinators'] as const,
  inbox: ['inbox'] as const,
  /** What changes the inbox changes it, too. */
  putAway: ['inbox', 'put-away'] as const,
  overview: ['overview'] as const,
  notifications: ['notifications'] as const,
  /** Of a folder on the host, for the project that would use it. */
  folders: (path: string, pid: string) => ['folders', path, pid] as const,
  project: (pid: string) => ['project', pid] as const,
  projectDetail: (pid: string) => ['project', pid, 'detail'] as const,
  members: (pid: string) => ['project', pid, 'members'] as const,
  tasks: (pid: string) => ['project', pid, 'tasks'] as const,
  /** What belongs to single tasks. */
  taskRecords: (pid: string) => ['project', pid, 'task'] as const,
  /** Comments, history, attempts, conversations of one task. Without `what` the common prefix. */
  task: (pid: string, tid: string, ...what: readonly string[]) =>
    ['project', pid, 'task', tid, ...what] as const,
  agentSessions: (pid: string) => ['project', pid, 'agent-sessions'] as const,
  unread: (pid: string) => ['project', pid, 'unread'] as const,
  questions: (pid: string, aid: string) => ['project', pid, 'questions', aid] as const,
  approvals: (pid: string, aid: string) => ['project', pid, 'approvals', aid] as const,
  usage: (pid: string) => ['project', pid, 'usage'] as const,
  search: (pid: string, query: string) => ['project', pid, 'search', query] as const,
  retrievalRun: (pid: string, aid: string, run: string) =>
    ['project', pid, 'retrieval-run', aid, run] as const,
  memoryEvent: (pid: string, aid: string, id: string) => ['project', pid, 'memory-event', aid, id] as const,
  memoryStates: (pid: string, aid: string) => ['project', pid, 'memory-states', aid] as const,
  schedules: (pid: string) => ['project', pid, 'schedules'] as const,
  conversations: (pid: string) => ['project', pid, 'conversations'] as const,
  /** Those of one agent. */
  chatConversations: (pid: string, aid: string) => ['project', pid, 'chat-conversations', aid] as const,
  conversation: (pid: string, cid: string) => ['project', pid, 'conversation', cid] as const,
  conversationMessages: (pid: string, cid: string) => ['project', pid, 'conversation-messages', cid] as const,
  /** Without `by` the common prefix of all queries about the project's runs. */
  runs: (pid: string, ...by: readonly string[]) => ['project', pid, 'runs', ...by] as const,
};
