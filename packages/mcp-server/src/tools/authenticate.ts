import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { SIGN_IN_REFUSED } from '@aizuchi/shared/core/sessions/sign-in-agent';
import { camelKeys, snakeKeys } from '../camel-keys.ts';
import { limitWrongBearer } from '../session-auth.ts';
import { openTool } from '../tool.ts';

/** Every refusal is a normal result that tells the agent to exit, whatever the reason. */
export const authenticate = openTool(
  TOOLS.authenticate,
  async ({ session_token: token, ...input }, call) => {
    const { context, exchange } = call;
    const { sessions, instructions } = context;
    const bearer = token ?? exchange.bearer;
    const result = await sessions.authenticate({
      ...camelKeys(input),
      ...(bearer !== undefined && { bearer }),
      address: exchange.address,
      signal: exchange.signal,
    });
    if (!result.success) {
      // A sign-in by passkey is held after failures; a ticket cannot be guessed, but without this limit it
      // could be tried without end.
      if (bearer !== undefined && input.passkey === undefined) limitWrongBearer(call);
      const instruction =
        result.code === 'session_exists' ? instructions.sessionExists : instructions.signInFailed;
      return { ...result, action: 'exit' as const, instruction };
    }
    const { sessionId, ...told } = result;
    context.touches.add(sessionId);
    return { ...snakeKeys(told), instruction: instructions.signedIn };
  },
  {
    hasOwnLimit: true,
    onInvalid: ({ context }) => ({
      ...SIGN_IN_REFUSED,
      action: 'exit' as const,
      instruction: context.instructions.signInFailed,
    }),
  },
);
