/**
 * Every key of the query cache. What belongs to a project stands under `project(pid)`, so that all of it can be
 * asked for again at once (a reset of the socket, polling).
 */
export const keys = {
  me: ['me'] as const,
  projects: ['projects'] as const,
  agents: ['agents'] as const,
  settings: ['settings'] as const,
  tokens: ['tokens'] as const,
  coordinators: ['coordinators'] as const,
  inbox: ['inbox'] as const,
  project: (pid: string) => ['project', pid] as const,
  projectDetail: (pid: string) => ['project', pid, 'detail'] as const,
  members: (pid: string) => ['project', pid, 'members'] as const,
  tasks: (pid: string) => ['project', pid, 'tasks'] as const,
  agentSessions: (pid: string) => ['project', pid, 'agent-sessions'] as const,
  unread: (pid: string) => ['project', pid, 'unread'] as const,
  questions: (pid: string) => ['project', pid, 'questions'] as const,
  schedules: (pid: string) => ['project', pid, 'schedules'] as const,
  conversations: (pid: string) => ['project', pid, 'conversations'] as const,
  conversation: (pid: string, cid: string) => ['project', pid, 'conversation', cid] as const,
  conversationMessages: (pid: string, cid: string) => ['project', pid, 'conversation-messages', cid] as const,
  /** `by`: which of them; all that is known of the project's runs without it. */
  runs: (pid: string, ...by: readonly string[]) => ['project', pid, 'runs', ...by] as const,
  messages: (pid: string, aid: string) => ['project', pid, 'messages', aid] as const,
};
