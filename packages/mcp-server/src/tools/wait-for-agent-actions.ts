import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { keys } from '@aizuchi/shared/platform/change-log/keys';
import { camelKeys, snakeKeys } from '../camel-keys.ts';
import { coordinatorTool } from '../tool.ts';

/**
 * It is the Coordinator's heartbeat too: the Coordinator counts as seen at its begin and at its end. While nothing happens
 * a call costs one statement, at its end, which also asks whether there is work: the next call reads only then, or after a
 * hint. So work whose hint was lost is found as soon as if each call began with a read.
 */
export const waitForAgentActions = coordinatorTool(
  TOOLS.wait_for_agent_actions,
  async (
    { hold_seconds: holdSeconds = 0, coordinator_token: _, memory = [], pulling, as_of: asOf, ...seen },
    call,
  ) => {
    const { coordination, work } = call.context;
    const beat = {
      ...camelKeys(seen),
      memory: memory.map(camelKeys),
      pulling: pulling?.map(camelKeys),
      asOf: asOf === undefined ? undefined : new Date(asOf),
    };
    const request = { id: beat.coordinatorId, key: keys.work };
    const { isAtRest } = await coordination.beat(beat);
    if (!isAtRest) work.disturb(request);
    const outcome = await work.wait(request, holdSeconds * 1_000, (leave) => call.exchange.onGone(leave));
    if (outcome.kind === 'failed') throw outcome.error;
    if (outcome.kind !== 'ready' && outcome.kind !== 'nothing') return { pairs: [], stop: [] };
    const now = holdSeconds > 0 ? await coordination.seen(beat) : undefined;
    if (now?.hasWork) work.disturb(request);
    const also = {
      ...(now?.lookForPrograms && { look_for_programs: true as const }),
      // A caller that names no home is no Coordinator of ours: its answer is what the contract names.
      ...(now?.at && seen.instance_id && { server_time: now.at.toISOString() }),
    };
    if (outcome.kind === 'nothing') return { pairs: [], stop: [], ...also };
    const { pairs, stop, changes } = outcome.value;
    return {
      pairs: pairs.map(snakeKeys),
      stop: stop.map(snakeKeys),
      ...(changes.length > 0 && { changes: changes.map(snakeKeys) }),
      ...also,
    };
  },
);
