import type { ToolName } from './tool-texts.ts';

/**
 * Which tools a model needs that runs inside our own runner. The runner signs in, fetches and answers messages, and
 * reports; it uses the same session. A new tool does not compile without an entry.
 */
const FOR_MODEL: Readonly<Record<ToolName, boolean>> = {
  send_message: true,
  get_attachment: true,
  start_conversation: true,
  end_conversation: true,
  get_conversation_messages: true,
  ask_user_question: true,
  request_vision: true,
  list_project_agents: true,
  list_tasks: true,
  get_task: true,
  create_task: true,
  update_task_status: true,
  propose_subtasks: true,
  get_my_task: true,
  save_context: true,
  report_completed: true,
  recall: true,
  remember: true,
  get_my_profile: true,
  authenticate: false,
  logout: false,
  get_next_action: false,
  get_pending_messages: false,
  respond_chat: false,
  heartbeat: false,
  report_delta: false,
  report_step: false,
  report_models: false,
  // The program asks by its own protocol.
  request_approval: false,
  // It explains the loop of calls, which is the runner's.
  help: false,
  health_check: false,
  list_active_projects_with_agents: false,
  wait_for_agent_actions: false,
  get_agent_action: false,
  report_process_started: false,
  report_process_exit: false,
  report_agent_error: false,
  report_changes: false,
  report_programs: false,
};

const WORKSPACE_TOOLS: ReadonlySet<string> = new Set(
  Object.entries(FOR_MODEL).flatMap(([name, isForModel]) => (isForModel ? [name] : [])),
);

export const TOOLS_PARAMETER = 'tools';
export const WORKSPACE = 'workspace';

export function isWorkspaceTool(name: string): boolean {
  return WORKSPACE_TOOLS.has(name);
}

/** The address of our MCP server at which only the tools for a model exist. Whoever calls is authorised as ever. */
export function workspaceAddress(url: string): string {
  const address = new URL(url);
  address.searchParams.set(TOOLS_PARAMETER, WORKSPACE);
  return address.href;
}

/** Texts of tools for a model that has no loop of calls: they do not name tools that it is not offered. */
export const WORKSPACE_TEXTS: Readonly<Partial<Record<ToolName, string>>> = {
  send_message: `Write a message of its own, apart from your answer: what you write in your turn is delivered as your answer by itself. To a person: target_agent_id "user" puts it into your chat in this project. To another AI agent it needs a live conversation with it: call start_conversation before; from then on you may write, also while it has not come yet.`,
  start_conversation: `Open a conversation with another AI agent of your project (list_project_agents names them), to ask it something or to work something out together. A person's message with @ and the name of another agent asks you to bring that one in: open a conversation with it about the message, and tell the person what came of it, or why it could not be asked. purpose tells it in a few words what it is about; initial_message is your first message. It is woken if it does not run; status "pending" means that it has not come yet. Then end your turn: what it writes comes to you as a message. Two agents have one conversation at a time, with at most max_messages messages of both together (20 when left out); between agents the number of messages is limited besides. Call end_conversation as soon as you have what you need.`,
  end_conversation: `End your conversation with another agent; either side may. final_message is a closing line that it hears with the end and need not answer. What it had not read yet it is given with the end. conversation_id, or the agent's id, is needed only when you are in several. If the other side ended it first you get its end instead; nothing more is to be done.`,
  get_conversation_messages: `Read what was said in one of your conversations, oldest first; without arguments in the one that you are in, else the last one. With after or before (message ids) and limit you page through it. It changes nothing.`,
  ask_user_question: `Ask the person in your chat something that only a person can decide: 1 to 4 questions with 2 to 4 options each; he clicks, or writes an answer of his own (never add an "Other" option, it is always there). The call waits up to 25 seconds. "pending": not answered yet; call again with the tool_use_id until it says something else. "answered": answers holds your question's text with the chosen label. "timeout" and "cancelled": nobody answered, and no answer is never consent: decide yourself what is safe, and say so. "unavailable": no person is in front of this session; decide yourself and say so. The same questions asked again while they are open are the same card. Do not ask what you can find out yourself.`,
};
