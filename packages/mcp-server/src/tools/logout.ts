import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { agentTool } from '../tool.ts';

/** Accepts a session that has ended meanwhile too: an agent that was told to leave may confirm it. */
export const logout = agentTool(
  TOOLS.logout,
  async (_args, caller, { context }) => {
    if (caller.live) await context.sessions.logout(caller);
    return { success: true as const, instruction: context.instructions.loggedOut };
  },
  { evenIfEnded: true },
);
