/** The chat thread of (project, agent): between people and the agent. */
export function chatThreadId(projectId: string, agentId: string): string {
  return `${projectId}/${agentId}`;
}
