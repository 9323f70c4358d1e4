import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../../../tests/e2e/start/product-process.ts';
import { startProduct } from '../../commands/product.ts';
import type { ChaosWorld } from '../chaos-world.ts';
import { membershipInTurn, type Round } from '../round.ts';

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
  async inject(world, { load, turn }) {
    const second = await startSecondCoordinator(world);
    world.closesToo(second);
    const membership = membershipInTurn(world, turn);
    const { pid, coordinator } = await world.agentRun(membership);
    const home = coordinator === 'first' ? world.home : (second.environment.AIZUCHI_HOME ?? '');
    const frozen = await world.servicePid('coordinator', home);
    const since = performance.now();
    process.kill(frozen, 'SIGSTOP');
    let recoveryMs: number;
    try {
      process.kill(pid, 'SIGKILL');
      const waiting = await load.write(membership, `frozen-${turn}`);
      await until(() => isLost(world, coordinator), GIVEN_UP_WITHIN_MS);
      await world.untilAnswered(waiting.id, ANSWERED_WITHIN_MS);
      recoveryMs = performance.now() - since;
    } finally {
      process.kill(frozen, 'SIGCONT');
    }
    const violations: string[] = [];
    await until(async () => !(await isLost(world, coordinator)), BACK_WITHIN_MS).catch(() => {
      violations.push(`the Coordinator ${coordinator} did not come back after it was thawed`);
    });
    return { membership, since, recoveryMs, note: 'given up after 45 s, thawed afterwards', violations };
  },
};

async function startSecondCoordinator(world: ChaosWorld) {
  const token = await readFile(join(world.home, 'secrets', 'coordinator-token'), 'utf8');
  return startProduct({
    AIZUCHI_SERVICES: 'coordinator',
    AIZUCHI_MCP_URL: `http://127.0.0.1:${world.proxy.port}/mcp`,
    MCP_COORDINATOR_TOKEN: token.trim(),
    COORDINATOR_ID: 'second',
    AIZUCHI_WORKSPACE_ROOTS: world.roots,
  });
}

async function isLost(world: ChaosWorld, coordinator: string): Promise<boolean> {
  const [row] = await world.rows<{ lost: boolean }>(
    'select lost_at is not null as lost from coordinators where id = $1',
    [coordinator],
  );
  return row?.lost ?? false;
}
