import type { ToolName } from '@aizuchi/shared/contract/tools/tool-texts';
import { isWorkspaceTool, WORKSPACE_TEXTS } from '@aizuchi/shared/contract/tools/workspace-tools';
import type { Standing } from '@aizuchi/shared/core/questions/ask-question';
import type { Exchange } from './exchange.ts';
import { TOOL_LIST } from './tool-registry.ts';
import { HOW_TO_WORK } from './tools/help.ts';

type Caller = Pick<Exchange, 'isWorkspace'>;
type Listed = Omit<(typeof TOOL_LIST)[number], 'description'> & { readonly description: string };

const WORKSPACE_INSTRUCTIONS = `You are an agent of Aizuchi, a workplace that people and agents share. You are signed in already, messages come to you by themselves, and what you write in your turn is your answer: no tool is needed for that. These tools show the board and the people of your project, and let you talk to other agents.
Where a result names get_next_action or respond_chat, that is done for you: end your turn.
A refused call answers {"error": {"code", "message", "details"}}: do what the message says.`;

const WORKSPACE_LIST: Listed[] = TOOL_LIST.filter(({ name }) => isWorkspaceTool(name)).map((tool) => ({
  ...tool,
  description: WORKSPACE_TEXTS[tool.name] ?? tool.description,
}));

const NEED_A_PERSON: ReadonlySet<string> = new Set<ToolName>([
  'ask_user_question',
  'request_approval',
  'request_vision',
]);

/** A session of a chat would only be refused by them. */
const NEED_A_TASK: ReadonlySet<string> = new Set<ToolName>([
  'get_my_task',
  'save_context',
  'report_completed',
]);

/** Whether a tool exists for this caller: a model inside our runner must not sign in or answer for the runner. */
export function isOffered(name: ToolName, { isWorkspace }: Caller): boolean {
  return !isWorkspace || isWorkspaceTool(name);
}

/**
 * Trap 18: where nobody would answer, the tools that ask are not offered. A model in a chat is not shown the tools of a
 * task; a client of its own may list them before it has signed in for one. `standing` null: the bearer is not known.
 */
export function toolListFor({ isWorkspace }: Caller, standing: Standing | null): Listed[] {
  const list: Listed[] = isWorkspace ? WORKSPACE_LIST : TOOL_LIST;
  const mayAsk = standing?.mayAsk ?? true;
  const isInChat = isWorkspace && standing?.purpose === 'chat';
  if (mayAsk && !isInChat) return list;
  return list.filter(
    ({ name }) => (mayAsk || !NEED_A_PERSON.has(name)) && !(isInChat && NEED_A_TASK.has(name)),
  );
}

export function instructionsFor({ isWorkspace }: Caller): string {
  return isWorkspace ? WORKSPACE_INSTRUCTIONS : HOW_TO_WORK;
}
