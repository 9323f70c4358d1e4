import { chown, mkdir, readdir, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Attack, must, mustAll } from '../attack.ts';
import { chatFault, post, untilRun } from '../support/chat.ts';
import type { World } from '../world.ts';

const nested: Attack = {
  row: 1,
  name: 'projects in and around the folder of another one',
  limitMs: 30_000,
  pace: 'quiet',
  async run(world) {
    const { folder } = await world.makeProject();
    const refused: string[] = [];
    const refuse = (path: string) => async () => {
      refused.push(String(await tryFolder(world, path)));
      must(refused.at(-1)?.startsWith('4') === true, `a project was made in ${path}`);
    };
    const tries: Record<string, () => Promise<void>> = {
      same: refuse(folder),
      'the same, written otherwise': refuse(`${dirname(folder)}/./x/../${folder.split('/').at(-1)}/`),
      inside: refuse(`${folder}/inner`),
      around: refuse(dirname(folder)),
      'two at once': () => twoAtOnce(world, `${folder}-pair`),
    };
    if (world.host) {
      const link = join(world.host.roots, `link-${world.word()}`);
      await symlink(folder, link);
      tries['by a link'] = refuse(link);
      tries['inside, by a link'] = refuse(join(link, 'inner'));
    }
    await mustAll(tries);
    return `all refused (${[...new Set(refused)].join(', ')}), of two at once one is made`;
  },
};

/** Returns the status. A project that was created is removed at the end. */
async function tryFolder(world: World, workingDirectory: string): Promise<number> {
  const id = `prj_probe_${world.word()}`;
  const { status } = await world.owner.ask('POST', '/projects', { id, name: id, workingDirectory });
  if (status === 201) world.remember(`/projects/${id}`);
  return status;
}

async function twoAtOnce(world: World, folder: string): Promise<void> {
  // The outer folder must exist before the inner one can be created.
  if (world.host) await mkdir(folder, { recursive: true });
  const folders = [folder, `${folder}/inner`, folder, `${folder}/inner`];
  const statuses = await Promise.all(folders.map((path) => tryFolder(world, path)));
  const made = statuses.filter((status) => status === 201).length;
  must(made <= 1, `${made} of ${folders.length} overlapping projects were made`);
}

const swapped: Attack = {
  row: 1,
  name: "a project's new folder swapped for a link to a folder of root",
  limitMs: 50_000,
  needs: ['root'],
  pace: 'quiet',
  async run(world) {
    const target = join(world.machine.roots, '..', `roots-own-${world.word()}`);
    await mkdir(target, { mode: 0o755 });
    await chown(target, 0, 0);
    await writeFile(join(target, 'mine'), 'of root', { mode: 0o600 });
    const { id: projectId, folder } = await world.makeProject();
    const { id: agentId } = await world.makeAgent(projectId);
    await rename(folder, `${folder}-aside`);
    await symlink(target, folder);
    const posted = post(world, { projectId, agentId }, 'Start');
    const run = await untilRun(
      world,
      projectId,
      ({ state, error }) => state === 'exited' || error !== undefined,
      20_000,
    );
    await posted.catch(() => undefined);
    const reason = run?.error ?? (await chatFault(world, projectId));
    await mustAll({
      'the folder of root': async () => {
        const [{ uid, mode }, inside] = [await stat(target), await stat(join(target, 'mine'))];
        must(
          uid === 0 && (mode & 0o022) === 0,
          `its owner is now ${uid}, its mode ${(mode & 0o777).toString(8)}`,
        );
        must(inside.uid === 0, `the owner of a file in it is now ${inside.uid}`);
        const names = await readdir(target);
        must(names.join() === 'mine', `it now holds ${names.join(', ')}`);
      },
      'the start': async () =>
        must(reason !== undefined, `it said no reason (${run?.exitCause ?? 'no run ended'})`),
    });
    return `the target stays as it was; the start says: ${reason}`;
  },
};

export const folders: readonly Attack[] = [nested, swapped];
