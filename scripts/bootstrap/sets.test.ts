import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { z } from 'zod';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const setsSchema = z.object({
  sets: z.array(z.object({ name: z.string(), filters: z.array(z.string()), options: z.array(z.string()) })),
  files: z.array(z.string()),
});

/** The bootstrap is plain JavaScript for the host's Node: it is run as such. */
async function installation() {
  const module = new URL('sets.mjs', import.meta.url).href;
  const script = `
    const { SETS: sets, describingFiles } = await import('${module}');
    console.log(JSON.stringify({ sets, files: describingFiles() }));`;
  const { stdout } = await execa(process.execPath, ['--input-type=module', '--eval', script]);
  return setsSchema.parse(JSON.parse(stdout));
}

/** The folders of all packages below `tests`, as the workspace names them. */
async function testPackages(): Promise<string[]> {
  const workspace = await readFile(join(ROOT, 'pnpm-workspace.yaml'), 'utf8');
  return [...workspace.matchAll(/^ {2}- (tests\/\S+)$/gm)].map(([, folder = '']) => folder);
}

test('the programs of the tests are installed only with everything: a start fetches none of them', async () => {
  const programs = await testPackages();
  expect(programs).toContain('tests/agents');
  const { sets } = await installation();
  const excluding = sets.filter(({ filters }) =>
    programs.every((folder) => filters.includes(`--filter=!./${folder}`)),
  );
  expect(excluding.map(({ name }) => name)).toEqual([
    'install-run',
    'install-start',
    'install-kubernetes',
    'install',
  ]);
  expect(sets.map(({ name, filters }) => [name, filters.length > 0]).at(-1)).toEqual(['install-all', false]);
});

test('the client of Kubernetes is installed only where somebody needs it', async () => {
  const { sets } = await installation();
  const without = sets.filter(({ filters }) => filters.includes('--filter=!@aizuchi/kubernetes-client'));
  expect(without.map(({ name }) => name)).toEqual(['install-run', 'install-start']);
});

test('a change of any package of the workspace makes an installation out of date', async () => {
  const packages = (await readdir(join(ROOT, 'packages'))).map((name) => `packages/${name}`);
  const folders = [...packages, ...(await testPackages())].map((folder) =>
    join(ROOT, folder, 'package.json'),
  );
  expect((await installation()).files).toEqual(expect.arrayContaining(folders));
});
