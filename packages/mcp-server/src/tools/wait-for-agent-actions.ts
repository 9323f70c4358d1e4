import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { keys } from '@aizuchi/shared/platform/change-log/keys';
import { camelKeys, snakeKeys } from '../camel-keys.ts';
import { coordinatorTool } from '../tool.ts';

/** It is the Coordinator's heartbeat too: the Coordinator counts as seen at its begin and at its end. */
export const waitForAgentActions = coordinatorTool(
  TOOLS.wait_for_agent_actions,
  async ({ hold_seconds: holdSeconds = 0, coordinator_token: _, memory = [], ...seen }, call) => {
    const { coordination, work } = call.context;
    const beat = { ...camelKeys(seen), memory: memory.map(camelKeys) };
    await coordination.beat(beat);
    const request = { id: beat.coordinatorId, key: keys.work };
    const outcome = await work.wait(request, holdSeconds * 1_000, (leave) => call.exchange.onGone(leave));
    if (outcome.kind === 'failed') throw outcome.error;
    if (outcome.kind !== 'ready' && outcome.kind !== 'nothing') return { pairs: [], stop: [] };
    const isLookWanted = holdSeconds > 0 && (await coordination.seen(beat)).lookForPrograms;
    const look = isLookWanted && { look_for_programs: true as const };
    if (outcome.kind === 'nothing') return { pairs: [], stop: [], ...look };
    const { pairs, stop, changes } = outcome.value;
    return {
      pairs: pairs.map(snakeKeys),
      stop: stop.map(snakeKeys),
      ...(changes.length > 0 && { changes: changes.map(snakeKeys) }),
      ...look,
    };
  },
);
