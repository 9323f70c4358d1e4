import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { keys } from '@aizuchi/shared/platform/change-log/keys';
import { agentTool } from '../tool.ts';
import { withReceipt } from '../with-receipt.ts';

export const heartbeat = agentTool(
  TOOLS.heartbeat,
  async ({ phase, hold_seconds: holdSeconds = 0 }, caller, call) => {
    const { sessions, controls } = call.context;
    const { sessionId } = caller;
    await sessions.beat(caller, { phase, holdSeconds });
    const request = { id: sessionId, key: keys.membership(caller.projectId, caller.agentId) };
    const outcome = await controls.wait(request, holdSeconds * 1_000, (leave) => call.exchange.onGone(leave));
    if (outcome.kind === 'failed') throw outcome.error;
    if (outcome.kind !== 'ready' || outcome.value === null || call.exchange.isGone) return { control: null };
    const { control, repeat } = outcome.value;
    await sessions.offerControl(sessionId, control);
    return {
      control,
      ...withReceipt(call, caller, { kind: 'control', control, repeat }),
      ...(repeat && { repeat }),
    };
  },
  { unlimited: true },
);
