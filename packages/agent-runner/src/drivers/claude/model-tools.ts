import { TOOL_TEXTS, type ToolName } from '@aizuchi/shared/contract/tools/tool-texts';
import { isWorkspaceTool } from '@aizuchi/shared/contract/tools/workspace-tools';

/** Names our server in the names of its tools. */
export const SERVER_NAME = 'aizuchi';
const PREFIX = `mcp__${SERVER_NAME}__`;

/** Those of a model in our own runner, but for questions: its own tool AskUserQuestion shows the same card. */
const isOffered = (name: ToolName) => isWorkspaceTool(name) && name !== 'ask_user_question';

export const WITHHELD_TOOLS: readonly string[] = Object.keys(TOOL_TEXTS)
  .filter((name) => isToolName(name) && !isOffered(name))
  .map((name) => `${PREFIX}${name}`);

/** The name of an offered tool of ours; undefined: it is not one. */
export function ownTool(name: string): ToolName | undefined {
  const own = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : '';
  return isToolName(own) && isOffered(own) ? own : undefined;
}

function isToolName(name: string): name is ToolName {
  return Object.hasOwn(TOOL_TEXTS, name);
}
