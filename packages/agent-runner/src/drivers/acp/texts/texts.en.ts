import { SCOPE_TEXTS } from '../../session-scope.ts';
import type { AcpTexts } from './texts-shape.ts';

export const en: AcpTexts = {
  steps: {
    thought: 'Thought',
    plan: 'Plan',
    compacting: 'Shortening the context',
    compacted: 'Shortened the context',
    quiet: (seconds) => `No sign of the agent for ${seconds} s: its model may be slow or limited`,
    mayNotAsk: (program, modes) =>
      `${program} may act without asking: none of its modes (${modes.join(', ') || 'it has none'}) is known to ask for permission`,
    unknownTool: 'Used a tool',
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
      get_my_task: 'Read its task',
      save_context: 'Saved where the task stands',
      report_completed: 'Reported the task',
      get_attachment: 'Looked at a file',
      recall: 'Searched its memory',
      remember: 'Remembered something',
      get_my_profile: 'Looked at its own profile',
    },
  },
  form: {
    header: 'Question',
    yes: 'Yes',
    no: 'No',
    leaveEmpty: 'Leave it empty',
    decline: 'Do not answer',
    moreChoices: (labels) => `Also possible, as an answer of your own: ${labels.join(' · ')}`,
  },
  failures: {
    noFolder: (folder) =>
      `The working directory ${folder} of the project is not there any more. Restore it, or name another one in the project's settings, and send the message again.`,
    missing: (program) =>
      `The program ${program} is not there any more. Install it, or change the command on the agent's page, and send the message again.`,
    notExecutable: (program) =>
      `The account of this agent cannot execute ${program}. Change its permissions on the host, and send the message again.`,
    endedAtStart: (program, how, said) =>
      `${program} ended as soon as it was started (${how})${said && `: ${said}`}. Try its command in a terminal on the host of this agent, and send the message again.`,
    died: (program, how, said) =>
      `${program} ended in the middle of its work (${how})${said && `: ${said}`}. Send the message again: it is started anew and goes on where it can.`,
    neverAnswered: (program, seconds) =>
      `${program} was started but did not answer for ${seconds} s. Check that its command speaks the Agent Client Protocol (for Gemini CLI: gemini --acp), and send the message again.`,
    rubbish: (program) =>
      `${program} writes other text where the Agent Client Protocol is expected. Check the arguments of its command (for Gemini CLI: --acp); what it wrote is in the log of the run.`,
    notTheProtocol: (program, what) =>
      `${program} answered ${what} in a form that is not the Agent Client Protocol. Update it, and send the message again.`,
    wrongVersion: (program, version, ours) =>
      `${program} speaks version ${version} of the Agent Client Protocol, and Aizuchi speaks version ${ours}. Use another version of the program.`,
    signIn: (program, command, variable) =>
      `${program} is not signed in on the host of this agent. Run \`${command}\` in a terminal there, as the account of the agent, and sign in${variable ? `; or set ${variable} for the Coordinator and name it in AIZUCHI_AGENT_ENV` : ''}. Then send the message again.`,
    signInRefused: (program, message, command, variable) =>
      `The sign-in of ${program} was not accepted: ${message}. It has expired, or its key is wrong. Run \`${command}\` in a terminal on the host of this agent and sign in again${variable ? `, or correct ${variable}` : ''}. Then send the message again.`,
    unknownModel: (model, models) =>
      `This agent has no model "${model}". It has: ${models.join(', ')}. Change the model of the agent, and start it again.`,
    noChoiceOfModel: (program, model) =>
      `The model "${model}" cannot be chosen here: ${program} uses the model of its own settings. Empty the model of the agent, and start it again.`,
    reported: (program, message) => `${program} could not answer: ${message}`,
    silent: (seconds) =>
      `The agent was stopped because nothing came from it for ${seconds} s. Its model may be overloaded or at its limit: wait a while, and send the message again.`,
    refusal: 'The model refused to answer this. Put it in other words, or begin with a new context.',
    maxTokens:
      'The answer ends here: the context of the model is full. Begin with a new context, or ask for a shorter answer.',
    maxRequests:
      'The agent stopped here: it has reached its own limit of requests for one turn, or it repeated itself. Write how it should go on.',
    gaveUp: 'The agent gave up this turn by itself. Send the message again, or put it in other words.',
    noAnswer:
      'The agent ended its turn without an answer. Send the message again, or put it in other words; the log of the run may say more.',
  },
  scope: SCOPE_TEXTS.en,
  endedAfterRefusal: 'I stopped here because this was not permitted. Write what I should do instead.',
};
