import type { z } from 'zod';
import * as chat from './chat-tools.ts';
import * as conversation from './conversation-tools.ts';
import * as coordinator from './coordinator-tools.ts';
import * as memory from './memory-tools.ts';
import { getNextActionInput, getNextActionOutput } from './next-action.ts';
import * as people from './people-tools.ts';
import * as project from './project-tools.ts';
import * as session from './session.ts';
import * as task from './task-tools.ts';
import { TOOL_TEXTS, type ToolName } from './tool-texts.ts';

/**
 * Who may call: an agent with its session, a Coordinator with its token, any caller that can reach the
 * server.
 */
export type ToolAudience = 'agent' | 'coordinator' | 'anyone';

export type ToolAnnotations = {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
};

export type ToolDefinition = {
  name: ToolName;
  title: string;
  description: string;
  audience: ToolAudience;
  annotations: ToolAnnotations;
  input: z.ZodObject;
  output: z.ZodObject;
};

/** No tool reaches outside this installation, so openWorldHint is always false. */
const READS: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
/**
 * A call changes what is recorded as offered or acknowledged, so it is not read-only; a repeated call does no
 * harm.
 */
const TAKES: ToolAnnotations = { ...READS, readOnlyHint: false };
/** A second call has a second effect, unless it has the same idempotency_key. */
const WRITES: ToolAnnotations = { ...TAKES, idempotentHint: false };

function tool<const N extends ToolName, I extends z.ZodObject, O extends z.ZodObject>(
  name: N,
  title: string,
  audience: ToolAudience,
  annotations: ToolAnnotations,
  input: I,
  output: O,
) {
  return { name, title, description: TOOL_TEXTS[name], audience, annotations, input, output };
}

const A = 'agent';
const C = 'coordinator';

export const TOOLS = {
  authenticate: tool(
    'authenticate',
    'Sign in',
    'anyone',
    WRITES,
    session.authenticateInput,
    session.authenticateOutput,
  ),
  logout: tool('logout', 'End the session', A, TAKES, session.logoutInput, session.logoutOutput),
  get_next_action: tool(
    'get_next_action',
    'What to do now',
    A,
    TAKES,
    getNextActionInput,
    getNextActionOutput,
  ),
  get_pending_messages: tool(
    'get_pending_messages',
    'Fetch unread messages',
    A,
    TAKES,
    chat.getPendingMessagesInput,
    chat.getPendingMessagesOutput,
  ),
  respond_chat: tool(
    'respond_chat',
    'Answer messages',
    A,
    WRITES,
    chat.respondChatInput,
    chat.respondChatOutput,
  ),
  send_message: tool(
    'send_message',
    'Write a message',
    A,
    WRITES,
    chat.sendMessageInput,
    chat.sendMessageOutput,
  ),
  get_attachment: tool(
    'get_attachment',
    'Read an attached file',
    A,
    READS,
    chat.getAttachmentInput,
    chat.getAttachmentOutput,
  ),
  ask_user_question: tool(
    'ask_user_question',
    'Ask a person',
    A,
    WRITES,
    people.askUserQuestionInput,
    people.askUserQuestionOutput,
  ),
  request_approval: tool(
    'request_approval',
    'Ask for permission',
    A,
    WRITES,
    people.requestApprovalInput,
    people.requestApprovalOutput,
  ),
  request_vision: tool(
    'request_vision',
    'Ask a person for an image',
    A,
    TAKES,
    people.requestVisionInput,
    people.requestVisionOutput,
  ),
  start_conversation: tool(
    'start_conversation',
    'Talk to another agent',
    A,
    WRITES,
    conversation.startConversationInput,
    conversation.startConversationOutput,
  ),
  end_conversation: tool(
    'end_conversation',
    'End a conversation',
    A,
    WRITES,
    conversation.endConversationInput,
    conversation.endConversationOutput,
  ),
  get_conversation_messages: tool(
    'get_conversation_messages',
    'Read a conversation',
    A,
    READS,
    conversation.getConversationMessagesInput,
    conversation.getConversationMessagesOutput,
  ),
  list_project_agents: tool(
    'list_project_agents',
    'List people and agents',
    A,
    READS,
    project.listProjectAgentsInput,
    project.listProjectAgentsOutput,
  ),
  list_tasks: tool('list_tasks', 'List tasks', A, READS, project.listTasksInput, project.listTasksOutput),
  get_task: tool('get_task', 'Read a task', A, READS, project.getTaskInput, project.getTaskOutput),
  create_task: tool(
    'create_task',
    'Create a task',
    A,
    WRITES,
    project.createTaskInput,
    project.taskWrittenOutput,
  ),
  update_task_status: tool(
    'update_task_status',
    'Move a task',
    A,
    TAKES,
    project.updateTaskStatusInput,
    project.taskWrittenOutput,
  ),
  propose_subtasks: tool(
    'propose_subtasks',
    'Propose parts of a task',
    A,
    WRITES,
    project.proposeSubtasksInput,
    project.proposeSubtasksOutput,
  ),
  get_my_task: tool(
    'get_my_task',
    'Read the task that you work on',
    A,
    READS,
    task.getMyTaskInput,
    task.getMyTaskOutput,
  ),
  save_context: tool(
    'save_context',
    'Save where the work stands',
    A,
    WRITES,
    task.saveContextInput,
    task.saveContextOutput,
  ),
  report_completed: tool(
    'report_completed',
    'Report the end of the work',
    A,
    WRITES,
    task.reportCompletedInput,
    task.reportCompletedOutput,
  ),
  recall: tool('recall', 'Recall what was said before', A, READS, memory.recallInput, memory.recallOutput),
  remember: tool('remember', 'Remember something', A, WRITES, memory.rememberInput, memory.rememberOutput),
  get_my_profile: tool(
    'get_my_profile',
    'Who am I',
    A,
    READS,
    session.getMyProfileInput,
    session.getMyProfileOutput,
  ),
  help: tool('help', 'How to work here', 'anyone', READS, session.helpInput, session.helpOutput),
  heartbeat: tool('heartbeat', 'I am alive', A, TAKES, session.heartbeatInput, session.controlOutput),
  report_delta: tool(
    'report_delta',
    'Show text while writing',
    A,
    TAKES,
    session.reportDeltaInput,
    session.controlOutput,
  ),
  report_step: tool(
    'report_step',
    'Show a step while working',
    A,
    TAKES,
    session.reportStepInput,
    session.reportStepOutput,
  ),
  report_models: tool(
    'report_models',
    'Which models there are',
    A,
    TAKES,
    session.reportModelsInput,
    session.reportModelsOutput,
  ),
  health_check: tool(
    'health_check',
    'Is the server there',
    C,
    READS,
    coordinator.healthCheckInput,
    coordinator.healthCheckOutput,
  ),
  list_active_projects_with_agents: tool(
    'list_active_projects_with_agents',
    'List projects with their agents',
    C,
    READS,
    coordinator.listActiveProjectsWithAgentsInput,
    coordinator.listActiveProjectsWithAgentsOutput,
  ),
  wait_for_agent_actions: tool(
    'wait_for_agent_actions',
    'Wait for work',
    C,
    TAKES,
    coordinator.waitForAgentActionsInput,
    coordinator.waitForAgentActionsOutput,
  ),
  get_agent_action: tool(
    'get_agent_action',
    'What to do for one agent',
    C,
    WRITES,
    coordinator.getAgentActionInput,
    coordinator.getAgentActionOutput,
  ),
  report_process_started: tool(
    'report_process_started',
    'A run lives',
    C,
    TAKES,
    coordinator.reportProcessStartedInput,
    coordinator.accepted,
  ),
  report_process_exit: tool(
    'report_process_exit',
    'A run has ended',
    C,
    TAKES,
    coordinator.reportProcessExitInput,
    coordinator.accepted,
  ),
  report_changes: tool(
    'report_changes',
    'The worktree of a run',
    C,
    TAKES,
    coordinator.reportChangesInput,
    coordinator.accepted,
  ),
  report_programs: tool(
    'report_programs',
    'The programs of a host',
    C,
    TAKES,
    coordinator.reportProgramsInput,
    coordinator.accepted,
  ),
  report_agent_error: tool(
    'report_agent_error',
    'Something went wrong',
    C,
    WRITES,
    coordinator.reportAgentErrorInput,
    coordinator.accepted,
  ),
} satisfies Record<ToolName, ToolDefinition>;

export type ToolInput<N extends ToolName> = z.input<(typeof TOOLS)[N]['input']>;
export type ToolArguments<N extends ToolName> = z.infer<(typeof TOOLS)[N]['input']>;
export type ToolOutput<N extends ToolName> = z.infer<(typeof TOOLS)[N]['output']>;

export const TOOL_NAMES = Object.values(TOOLS).map((definition): ToolName => definition.name);
