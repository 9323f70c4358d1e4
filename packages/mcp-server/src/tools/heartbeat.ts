import { keys } from '@aizuchi/shared/changes/keys';
import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { agentTool } from '../tool.ts';

export const heartbeat = agentTool(
  TOOLS.heartbeat,
  async ({ phase, hold_seconds: holdSeconds = 0 }, caller, call) => {
    const request = {
      id: caller.sessionId,
      key: keys.pair(caller.projectId, caller.agentId),
      caller,
      phase,
    };
    const outcome = await call.context.controls.wait(request, holdSeconds * 1_000, (leave) =>
      call.exchange.onGone(leave),
    );
    if (outcome.kind === 'failed') throw outcome.error;
    return { control: outcome.kind === 'ready' ? outcome.value : null };
  },
  { unlimited: true },
);
