import { SCOPE_TEXTS } from '../session-scope.ts';
import type { ClaudeTexts } from './texts-shape.ts';

export const en: ClaudeTexts = {
  steps: {
    thought: 'Thought',
    read: (file) => `Read ${file}`,
    edited: (file) => `Edited ${file}`,
    created: (file) => `Created ${file}`,
    ran: (command) => `Ran ${command}`,
    searched: (what) => `Searched for ${what}`,
    fetched: (address) => `Fetched ${address}`,
    delegated: (what) => `Gave a subagent: ${what}`,
    skill: (name) => `Used the skill ${name}`,
    own: {
      send_message: 'Wrote a message',
      start_conversation: 'Began a conversation with another agent',
      end_conversation: 'Ended the conversation with another agent',
      get_conversation_messages: 'Read a conversation with another agent',
      list_project_agents: 'Looked at the members of the project',
      list_tasks: 'Looked at the board',
      get_task: 'Looked at a task',
      create_task: 'Put a task on the board',
      update_task_status: 'Moved a task on the board',
      propose_subtasks: 'Proposed parts of a task',
      get_my_task: 'Read its task',
      save_context: 'Saved where the task stands',
      report_completed: 'Reported the task',
      get_attachment: 'Looked at a file',
      recall: 'Searched its memory',
      remember: 'Remembered something',
      get_my_profile: 'Looked at its own profile',
    },
    retry: (attempt, most, why) => `The model did not answer (${why}): retry ${attempt} of ${most}`,
    compacting: 'Shortening the context',
    compacted: (before, after) =>
      `Shortened the context from ${before}${after === undefined ? '' : ` to ${after}`} tokens`,
    restarted: 'Claude Code ended unexpectedly and was started again',
    toolUses: (count) => `${count} tool calls`,
  },
  reasons: {
    authentication: 'the sign-in was refused',
    rateLimit: 'the rate limit is reached',
    overloaded: 'it is overloaded',
    server: 'an error of its server',
    network: 'no connection, or no answer in time',
  },
  failures: {
    notSignedIn:
      'Claude Code is not signed in on the host of this agent. Run `claude` there as the account of the agent and use /login, or set ANTHROPIC_API_KEY; `npm run doctor` names the account. Then send the message again.',
    keyRefused:
      'The key or the sign-in of Claude Code was refused. Sign in again on the host with `claude` and /login, or set another ANTHROPIC_API_KEY, and send the message again.',
    modelNotFound: (model) =>
      `The model ${model || 'of this agent'} does not exist, or this account may not use it. Choose another model on the agent's page.`,
    rateLimit: (why) =>
      `The usage limit of the Claude account is reached (${why}). Wait a while, and send the message again.`,
    overloaded: 'The model is overloaded at the moment. Send the message again in some minutes.',
    server: (status) =>
      `The server of the model reported an error (${status}). Send the message again later.`,
    network:
      "The model could not be reached: no connection from the host of this agent, or no answer in time. Check the host's network and ANTHROPIC_BASE_URL, and send the message again.",
    tooLong:
      'The context is too long for the model, also after it was shortened. Begin with a new context, or send a shorter message.',
    credit: 'The credit of the Claude account is used up. Top it up, and send the message again.',
    refused: (why) => `The model refused the request: ${why}`,
    other: (why) => `Claude Code could not answer: ${why}`,
    died: (why) => `Claude Code ended unexpectedly (${why}). Send the message again.`,
    noFolder: (folder) =>
      `The working directory ${folder} of the project is not there any more. Restore it, or name another one in the project's settings, and send the message again.`,
    missing: (path) =>
      `Claude Code is not there any more (${path}). Install it, or run \`npm run add-claude\`, and send the message again.`,
    notExecutable: (path) =>
      `Claude Code cannot be executed by the account of this agent (${path}). \`npm run doctor\` says what to do.`,
    unusable: (path, why) =>
      `Claude Code could not be started (${path}): ${why}. Check it with \`npm run doctor\`, or use the tested version: \`npm run add-claude\`.`,
    noAnswer: 'it ended before it was ready',
    silent: (path, seconds) =>
      `Claude Code was started but did not answer for ${seconds} s (${path}). Check it with \`npm run doctor\`, and send the message again.`,
  },
  approvals: {
    run: 'Run a command',
    edit: (file) => `Change ${file}`,
    scope: SCOPE_TEXTS.en,
    use: (tool) => `Use ${tool}`,
  },
};
