import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { agentTool } from '../tool.ts';

/** Also for a session that has ended meanwhile: who was told to leave may say so. */
export const logout = agentTool(
  TOOLS.logout,
  async (_args, caller, { context }) => {
    if (caller.live) await context.sessions.logout(caller);
    return { success: true as const, instruction: context.instructions.loggedOut };
  },
  { evenIfEnded: true },
);
