import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { camelKeys, snakeKeys } from '../camel-keys.ts';
import { openTool } from '../tool.ts';

/** Every refusal is a normal result that tells the agent to exit. */
export const authenticate = openTool(
  TOOLS.authenticate,
  async ({ session_token: token, ...input }, { context, exchange }) => {
    const { sessions, instructions } = context;
    const bearer = token ?? exchange.bearer;
    const result = await sessions.authenticate({
      ...camelKeys(input),
      ...(bearer !== undefined && { bearer }),
      address: exchange.address,
    });
    if (!result.success)
      return { ...result, action: 'exit' as const, instruction: instructions.signInFailed };
    const { sessionId, ...told } = result;
    context.touches.add(sessionId);
    return { ...snakeKeys(told), instruction: instructions.signedIn };
  },
);
