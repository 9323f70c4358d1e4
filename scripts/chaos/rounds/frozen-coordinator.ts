import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../../../tests/e2e/start/product-process.ts';
import { startProduct } from '../../commands/product.ts';
import type { House } from '../house.ts';
import { pairInTurn, type Round } from '../round.ts';

/** A Coordinator is given up after 45 s of silence. */
const GIVEN_UP_WITHIN_MS = 75_000;
const ANSWERED_WITHIN_MS = 30_000;
const BACK_WITHIN_MS = 30_000;

/**
 * Two Coordinators. The one that runs an agent is frozen and its agent is killed, so that its exit is not reported.
 * When that Coordinator is given up, the other one starts the agent again. Then the frozen one is thawed; it still
 * has its old state.
 */
export const frozenCoordinator: Round = {
  name: 'two Coordinators, one frozen, thawed',
  atMost: 1,
  pauseMs: 500,
  async strike(house, { load, turn }) {
    const second = await startSecondCoordinator(house);
    house.closesToo(second);
    const pair = pairInTurn(house, turn);
    const { pid, coordinator } = await house.agentRun(pair);
    const home = coordinator === 'first' ? house.home : (second.environment.AIZUCHI_HOME ?? '');
    const frozen = await house.servicePid('coordinator', home);
    const since = performance.now();
    process.kill(frozen, 'SIGSTOP');
    let recoveryMs: number;
    try {
      process.kill(pid, 'SIGKILL');
      const waiting = await load.write(pair, `frozen-${turn}`);
      await until(() => isLost(house, coordinator), GIVEN_UP_WITHIN_MS);
      await house.untilAnswered(waiting.id, ANSWERED_WITHIN_MS);
      recoveryMs = performance.now() - since;
    } finally {
      process.kill(frozen, 'SIGCONT');
    }
    const violations: string[] = [];
    await until(async () => !(await isLost(house, coordinator)), BACK_WITHIN_MS).catch(() => {
      violations.push(`the Coordinator ${coordinator} did not come back after it was thawed`);
    });
    return { pair, since, recoveryMs, note: 'given up after 45 s, thawed afterwards', violations };
  },
};

async function startSecondCoordinator(house: House) {
  const token = await readFile(join(house.home, 'secrets', 'coordinator-token'), 'utf8');
  return startProduct({
    AIZUCHI_SERVICES: 'coordinator',
    AIZUCHI_MCP_URL: `http://127.0.0.1:${house.proxy.port}/mcp`,
    MCP_COORDINATOR_TOKEN: token.trim(),
    COORDINATOR_ID: 'second',
    AIZUCHI_WORKSPACE_ROOTS: house.roots,
  });
}

async function isLost(house: House, coordinator: string): Promise<boolean> {
  const [row] = await house.rows<{ lost: boolean }>(
    'select lost_at is not null as lost from coordinators where id = $1',
    [coordinator],
  );
  return row?.lost ?? false;
}
