import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import { until } from '../../../tests/e2e/start/product-process.ts';
import type { ChaosPair, ChaosWorld } from '../chaos-world.ts';
import type { Round } from '../round.ts';

/** The name of the project whose disk can be filled. */
export const fullProject = 'full';

/**
 * chat.jsonl cannot grow: the chat goes on, the fault is shown, and the file catches up when there is space again.
 */
export const diskFull: Round = {
  name: 'disk full (chat.jsonl)',
  absent: async () =>
    process.platform === 'linux' ? undefined : 'not here: this system has no way to fill a disk safely',
  async inject(world, { load, turn }) {
    const membership = world.pairs.find(({ projectId }) => projectId === `prj_${fullProject}`);
    if (!membership) throw new Error('the project with the small disk is missing');
    const disk = world.hasSmallDisk ? await fillDisk(membership) : await forbidGrowth(world, membership);
    const violations: string[] = [];
    try {
      for (let count = 0; count < 20; count += 1) await load.write(membership, `full-${turn}-${count}`);
      await until(async () => (await faultOf(world, membership)).startsWith('no_space: '), 5_000).catch(
        async () => {
          violations.push(
            `the full disk was not shown: ${(await faultOf(world, membership)) || 'no chatLogFault'}`,
          );
        },
      );
    } finally {
      await disk.release();
    }
    const since = performance.now();
    await load.write(membership, `room-${turn}`);
    await until(async () => (await faultOf(world, membership)) === '', 30_000).catch(() => {
      violations.push('the fault of the full disk was not taken back');
    });
    return { membership, since, note: disk.note, violations };
  },
};

async function faultOf(world: ChaosWorld, { projectId }: ChaosPair): Promise<string> {
  const project = z.object({ chatLogFault: z.string().nullish() });
  return (await world.person.call(project, 'GET', `/projects/${projectId}`)).chatLogFault ?? '';
}

/** Fills the disk. */
async function fillDisk({ folder }: ChaosPair) {
  const filler = join(folder, 'filler');
  const file = await open(filler, 'w');
  try {
    for (const size of [65_536, 4_096, 1]) {
      const piece = Buffer.alloc(size);
      while (await fits(() => file.appendFile(piece)));
    }
  } finally {
    await file.close();
  }
  return { note: 'ENOSPC on a small tmpfs', release: () => rm(filler) };
}

async function fits(write: () => Promise<void>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return false;
    throw error;
  }
}

/** Where mounting is not allowed, the kernel limits the size of the services' files (RLIMIT_FSIZE, EFBIG). */
async function forbidGrowth(world: ChaosWorld, membership: ChaosPair) {
  const { size } = await stat(join(membership.folder, '.ai-pm', 'agents', membership.agentId, 'chat.jsonl'));
  const limit = async (bytes: string) => {
    for (const name of ['rest-api', 'mcp-server'])
      await execa('prlimit', ['--pid', String(await world.servicePid(name)), `--fsize=${bytes}:unlimited`]);
  };
  await limit(String(size + 20));
  return { note: 'EFBIG by RLIMIT_FSIZE: no mount here', release: () => limit('unlimited') };
}
