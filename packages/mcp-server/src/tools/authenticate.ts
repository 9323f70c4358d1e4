import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { SIGN_IN_REFUSED } from '@aizuchi/shared/services/agent-sign-in';
import { camelKeys, snakeKeys } from '../camel-keys.ts';
import { openTool } from '../tool.ts';

/** Every refusal is a normal result that tells the agent to exit, whatever was wrong with its arguments. */
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
    if (!result.success) {
      const instruction =
        result.code === 'session_exists' ? instructions.sessionExists : instructions.signInFailed;
      return { ...result, action: 'exit' as const, instruction };
    }
    const { sessionId, ...told } = result;
    context.touches.add(sessionId);
    return { ...snakeKeys(told), instruction: instructions.signedIn };
  },
  {
    onInvalid: ({ context }) => ({
      ...SIGN_IN_REFUSED,
      action: 'exit' as const,
      instruction: context.instructions.signInFailed,
    }),
  },
);
