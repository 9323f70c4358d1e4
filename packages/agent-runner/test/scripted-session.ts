import type { PendingMessages } from '@aizuchi/shared/contract/tools/chat-tools';
import type { NextAction } from '@aizuchi/shared/contract/tools/next-action';
import { ScriptedMcpServer, type ToolScript } from '@aizuchi/shared/testing/scripted-mcp-server';

export const TICKET = 'ticket-1234567890-abcdefghij';

/** A server whose session gets these actions in turn, then waits until the test ends. */
export async function serveSession(
  actions: readonly NextAction[],
  pending: () => PendingMessages,
  script: ToolScript = {},
): Promise<ScriptedMcpServer> {
  const queue = [...actions];
  return new ScriptedMcpServer({
    authenticate: () => ({ success: true, purpose: 'chat', agent_name: 'Aiko', instruction: '' }),
    get_next_action: () => queue.shift() ?? new Promise(() => undefined),
    get_pending_messages: pending,
    list_tasks: () => ({
      tasks: [],
      counts: { backlog: 0, todo: 0, in_progress: 0, blocked: 0, done: 0, cancelled: 0 },
      next_cursor: null,
    }),
    respond_chat: () => ({ success: true, answered_count: 1, instruction: '' }),
    report_delta: () => ({ control: null }),
    report_step: () => ({ control: null, recorded: true }),
    report_models: () => ({ accepted: true }),
    heartbeat: () => ({ control: null }),
    logout: () => ({ success: true, instruction: '' }),
    ...script,
  }).start();
}
