import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../../../tests/e2e/start/product-process.ts';
import type { World } from '../world.ts';
import { post } from './chat.ts';

/** Runs shell scripts with what an agent of a project can reach. `code` is -1 if the script did not end in time. */
export interface AgentShell {
  run(script: string, args?: readonly string[]): Promise<{ code: number; said: string }>;
}

const START_MS = 30_000;
const SCRIPT_MS = 30_000;
/** Where scripts are handed over, in the folder of the project. */
const DESK = '.probe';
const LOOP = `cd ${DESK} && : > ready
while :; do
  if [ -f script ]; then mv script taken; (cd .. && sh ${DESK}/taken) > said 2>&1; echo $? > code.new; mv code.new code; fi
  sleep 0.1
done`;

/** From inside a container of an agent of that project, else as the account that agents have as processes. */
export async function agentShell(
  world: World,
  { projectId, folder }: { readonly projectId: string; readonly folder: string },
): Promise<AgentShell> {
  const { machine } = world;
  if (world.isInContainers) return shellInContainer(world, projectId, folder);
  const account = world.isRoot ? await machine.agentsAccount() : undefined;
  return { run: (script, args = []) => machine.shell(script, args, account) };
}

/** An agent whose program takes scripts out of its folder: the only thing that its box shares with the host. */
async function shellInContainer(world: World, projectId: string, folder: string): Promise<AgentShell> {
  const desk = join(folder, DESK);
  await mkdir(desk);
  await chmod(desk, 0o777);
  const command = { file: '/bin/sh', args: ['-c', LOOP], mode: 'resident' };
  const { id: agentId } = await world.makeAgent(projectId, { provider: 'command', command });
  await post(world, { projectId, agentId }, 'Start');
  await until(async () => existsSync(join(desk, 'ready')), START_MS);
  let isStuck = false;
  return {
    async run(script, args = []) {
      // What it says, and its code, would be taken for those of the next one.
      if (isStuck) throw new Error('a script before it has not ended');
      await rm(join(desk, 'code'), { force: true });
      await writeFile(join(desk, 'script.new'), `set -- ${args.map(quoted).join(' ')}\n${script}\n`);
      await rename(join(desk, 'script.new'), join(desk, 'script'));
      const hasEnded = async () => existsSync(join(desk, 'code'));
      const isOver = await until(hasEnded, SCRIPT_MS).then(
        () => true,
        () => false,
      );
      isStuck = !isOver;
      const said = await readFile(join(desk, 'said'), 'utf8').catch(() => '');
      return { code: isOver ? Number(await readFile(join(desk, 'code'), 'utf8')) : -1, said };
    },
  };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
