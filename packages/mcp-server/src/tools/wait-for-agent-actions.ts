import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { keys } from '@aizuchi/shared/platform/changes/keys';
import { camelKeys, snakeKeys } from '../camel-keys.ts';
import { coordinatorTool } from '../tool.ts';

/** It is the Coordinator's heartbeat too: the Coordinator counts as seen at its begin and at its end. */
export const waitForAgentActions = coordinatorTool(
  TOOLS.wait_for_agent_actions,
  async ({ hold_seconds: holdSeconds = 0, coordinator_token: _, ...seen }, call) => {
    const { coordination, work } = call.context;
    const beat = camelKeys(seen);
    await coordination.beat(beat);
    const request = { id: beat.coordinatorId, key: keys.work };
    const outcome = await work.wait(request, holdSeconds * 1_000, (leave) => call.exchange.onGone(leave));
    if (outcome.kind === 'failed') throw outcome.error;
    if (outcome.kind === 'nothing' && holdSeconds > 0) await coordination.seen(beat);
    if (outcome.kind !== 'ready') return { pairs: [], stop: [] };
    return { pairs: outcome.value.pairs.map(snakeKeys), stop: outcome.value.stop.map(snakeKeys) };
  },
);
