import { TOOL_TEXTS } from '@aizuchi/shared/contract/tools/tool-texts';
import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { AppError } from '@aizuchi/shared/platform/errors';
import { authoriseAgent } from '../session-auth.ts';
import { openTool } from '../tool.ts';
import type { ToolCall } from '../tool-call.ts';

/** The loop of calls, for an agent that knows no tool yet. */
export const HOW_TO_WORK = `You are an agent of Aizuchi, a workplace that people and agents share. Your loop of calls:
1. authenticate once. Pass its session_token to every other tool, unless you came with a bearer token.
2. get_next_action (hold_seconds up to 25: the call waits until there is something).
3. Do what it says: get_pending_messages, then respond_chat; then get_next_action again.
4. On "work_on_task" your session is for one task: get_my_task, do it, save_context after each step, report_completed at the end; then get_next_action.
5. On "logout" or "exit" call logout and end your process.
A refused call answers {"error": {"code", "message", "details"}}: do what the message says.`;

const AGENT_TOOLS = Object.values(TOOLS).filter((tool) => tool.audience !== 'coordinator');

export const help = openTool(TOOLS.help, async ({ tool: name, ...session }, call) => {
  await acknowledge(session, call);
  if (name === undefined) return { text: HOW_TO_WORK, tools: AGENT_TOOLS.map(oneLine) };
  const tool = Object.values(TOOLS).find((candidate) => candidate.name === name);
  if (!tool)
    throw new AppError('invalid_input', `There is no tool "${name}".`, {
      details: { tools: AGENT_TOOLS.map((candidate) => candidate.name) },
    });
  return { text: TOOL_TEXTS[tool.name], tools: [oneLine(tool)] };
});

function oneLine(tool: (typeof AGENT_TOOLS)[number]) {
  const [sentence = ''] = tool.description.split(/(?<=\.) /);
  return { name: tool.name, title: tool.title, summary: sentence };
}

/** Any call of a session may name what it has received; whoever has none gets the help as well. */
async function acknowledge(
  { received, session_token }: { received?: string[] | undefined; session_token?: string | undefined },
  call: ToolCall,
): Promise<void> {
  if (!received) return;
  try {
    const caller = await authoriseAgent({ session_token }, call, { evenIfEnded: true, unlimited: true });
    if (caller.live) await call.context.receipts.received(caller, received);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'unauthenticated') throw error;
  }
}
