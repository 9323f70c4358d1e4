import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { AppError } from '@aizuchi/shared/platform/errors';
import { z } from 'zod';
import type { Exchange } from './exchange.ts';
import type { Tool } from './tool.ts';
import type { ToolCall } from './tool-call.ts';
import type { ToolContext } from './tool-context.ts';
import { toolError } from './tool-error.ts';
import { type AttachedContent, type ToolResult, toolResult } from './tool-result.ts';
import { askUserQuestion } from './tools/ask-user-question.ts';
import { authenticate } from './tools/authenticate.ts';
import { createTask } from './tools/create-task.ts';
import { endConversation } from './tools/end-conversation.ts';
import { getAgentAction } from './tools/get-agent-action.ts';
import { getAttachment } from './tools/get-attachment.ts';
import { getConversationMessages } from './tools/get-conversation-messages.ts';
import { getMyProfile } from './tools/get-my-profile.ts';
import { getMyTask } from './tools/get-my-task.ts';
import { getNextAction } from './tools/get-next-action.ts';
import { getPendingMessages } from './tools/get-pending-messages.ts';
import { getTask } from './tools/get-task.ts';
import { healthCheck } from './tools/health-check.ts';
import { heartbeat } from './tools/heartbeat.ts';
import { help } from './tools/help.ts';
import { listActiveProjectsWithAgents } from './tools/list-active-projects-with-agents.ts';
import { listProjectAgents } from './tools/list-project-agents.ts';
import { listTasks } from './tools/list-tasks.ts';
import { logout } from './tools/logout.ts';
import { proposeSubtasks } from './tools/propose-subtasks.ts';
import { recall } from './tools/recall.ts';
import { remember } from './tools/remember.ts';
import { reportAgentError } from './tools/report-agent-error.ts';
import { reportChanges } from './tools/report-changes.ts';
import { reportCompleted } from './tools/report-completed.ts';
import { reportDelta } from './tools/report-delta.ts';
import { reportModels } from './tools/report-models.ts';
import { reportProcessExit } from './tools/report-process-exit.ts';
import { reportProcessStarted } from './tools/report-process-started.ts';
import { reportPrograms } from './tools/report-programs.ts';
import { reportStep } from './tools/report-step.ts';
import { requestApproval } from './tools/request-approval.ts';
import { requestVision } from './tools/request-vision.ts';
import { respondChat } from './tools/respond-chat.ts';
import { saveContext } from './tools/save-context.ts';
import { sendMessage } from './tools/send-message.ts';
import { startConversation } from './tools/start-conversation.ts';
import { updateTaskStatus } from './tools/update-task-status.ts';
import { waitForAgentActions } from './tools/wait-for-agent-actions.ts';

export type ToolName = keyof typeof TOOLS;

/** Every tool of the contract has its code: without one of them this file does not compile. */
export const TOOL_REGISTRY: Record<ToolName, Tool> = {
  authenticate,
  logout,
  get_next_action: getNextAction,
  get_pending_messages: getPendingMessages,
  respond_chat: respondChat,
  send_message: sendMessage,
  get_attachment: getAttachment,
  ask_user_question: askUserQuestion,
  request_approval: requestApproval,
  request_vision: requestVision,
  start_conversation: startConversation,
  end_conversation: endConversation,
  get_conversation_messages: getConversationMessages,
  list_project_agents: listProjectAgents,
  list_tasks: listTasks,
  get_task: getTask,
  create_task: createTask,
  update_task_status: updateTaskStatus,
  propose_subtasks: proposeSubtasks,
  get_my_task: getMyTask,
  save_context: saveContext,
  report_completed: reportCompleted,
  recall,
  remember,
  get_my_profile: getMyProfile,
  help,
  heartbeat,
  report_delta: reportDelta,
  report_step: reportStep,
  report_models: reportModels,
  health_check: healthCheck,
  list_active_projects_with_agents: listActiveProjectsWithAgents,
  wait_for_agent_actions: waitForAgentActions,
  get_agent_action: getAgentAction,
  report_process_started: reportProcessStarted,
  report_process_exit: reportProcessExit,
  report_changes: reportChanges,
  report_programs: reportPrograms,
  report_agent_error: reportAgentError,
};

/** The tools whose calls may be held. */
export const HELD_TOOLS: ReadonlySet<string> = new Set<ToolName>([
  'get_next_action',
  'ask_user_question',
  'request_approval',
  'request_vision',
  'heartbeat',
  'wait_for_agent_actions',
]);

/**
 * The answer to tools/list, made once. Both schemas describe what the sender writes (`io: 'input'`): outputs
 * stay open for keys that come later, because a client that knows only the schema of today must not refuse
 * them.
 */
export const TOOL_LIST = Object.values(TOOLS).map(
  ({ name, title, description, input, output, annotations }) => ({
    name,
    title,
    description,
    inputSchema: jsonSchema(input),
    outputSchema: jsonSchema(output),
    annotations: { title, ...annotations },
  }),
);

export function isToolName(name: string): name is ToolName {
  return Object.hasOwn(TOOLS, name);
}

/** Runs one call to its result. A failure is a result too; never throws. */
export async function runTool(
  name: ToolName,
  args: unknown,
  process: { context: ToolContext; exchange: Exchange },
): Promise<ToolResult> {
  const { context, exchange } = process;
  const effects: (() => void)[] = [];
  const attached: AttachedContent[] = [];
  const call: ToolCall = {
    context,
    exchange,
    afterDelivery: (sessionId, record) =>
      void effects.push(() => context.ledger.expect(sessionId, exchange, record)),
    attach: (content) => void attached.push(content),
  };
  const begin = performance.now();
  const result = await resultOf(name, args, call, { effects, attached });
  context.observe(name, result.isError ? 'error' : 'ok', (performance.now() - begin) / 1_000);
  return result;
}

async function resultOf(
  name: ToolName,
  args: unknown,
  call: ToolCall,
  {
    effects,
    attached,
  }: { readonly effects: readonly (() => void)[]; readonly attached: readonly AttachedContent[] },
): Promise<ToolResult> {
  const { context } = call;
  try {
    if (context.isStopping()) throw new AppError('unavailable', 'The server is stopping. Call again.');
    const output = await TOOL_REGISTRY[name].invoke(args, call);
    const result = toolResult(TOOLS[name].output.parse(output), attached);
    for (const effect of effects) effect();
    return result;
  } catch (error) {
    return toolError(error, { logger: context.logger, tool: name });
  }
}

function jsonSchema(schema: z.ZodObject): { type: 'object'; [key: string]: unknown } {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' });
  return { ...rest, type: 'object' };
}
