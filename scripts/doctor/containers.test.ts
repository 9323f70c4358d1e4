import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { dockerWorld } from '../../packages/coordinator/test/docker-world.ts';
import { services } from '../supervisor/services.ts';
import { loadSupervisorConfig } from '../supervisor/supervisor-config.ts';
import { containerFindings, faultsOf } from './containers.ts';
import { look, seenIn } from './look-around.ts';

const URL_INSIDE = 'http://host.docker.internal:4101/healthz';
const well = { node: '24.1.0', hasRunner: true, wrote: true, isImageReadOnly: true, called: 200 } as const;
const faults = (seen: object | undefined, changes: object = {}) =>
  faultsOf(
    { tookMs: 1, words: '', isGone: true, seen: seen && { ...well, ...seen }, ...changes },
    'aizuchi-runner',
    URL_INSIDE,
  );

test.each([
  ['nothing', {}, []],
  ['an old node', { node: '20.9.0' }, [/has Node 20\.9\.0: 24 or newer/]],
  ['no runner', { hasRunner: false }, [/no \/opt\/aizuchi\/runner\.mjs/]],
  ['a folder that cannot be written', { wrote: 'EACCES' }, [/could not write .*EACCES.*under the same path/]],
  ['an image that can be written', { isImageReadOnly: false }, [/ignores that the image is read-only/]],
  ['a Host that is not allowed', { called: 403 }, [/name host\.docker\.internal in AIZUCHI_ALLOWED_HOSTS/]],
  ['a firewall', { called: 'TimeoutError' }, [/does not reach .*TimeoutError.*firewall/]],
  ['two things', { hasRunner: false, called: 'ECONNREFUSED' }, [/runner/, /ECONNREFUSED/]],
])('a trial shows %s', (_what, seen, sentences) => {
  expect(faults(seen)).toEqual(sentences.map((one) => expect.stringMatching(one)));
});

test('a trial whose program did not run, and one that is still there', () => {
  expect(faults(undefined, { words: 'sh: node: not found', isGone: false })).toEqual([
    expect.stringMatching(/still there: docker ps/),
    expect.stringMatching(/No node runs .* It said: sh: node: not found/),
  ]);
});

test('the program tells what it sees, also when nothing answers, and leaves nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'aizuchi-doctor-test-'));
  const { stdout } = spawnSync(process.execPath, ['-e', look(folder), 'http://127.0.0.1:1/healthz'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const seen = seenIn(stdout.trim());
  expect(seen).toMatchObject({ node: process.versions.node, wrote: true, isImageReadOnly: false });
  expect(seen?.called).not.toBe(200);
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
  expect(seenIn('sh: node: not found')).toBeUndefined();
});

const docker = await dockerWorld();
if (typeof docker === 'string') process.stderr.write(`the trial of the doctor is left out: ${docker}\n`);
else
  it('tries a container: it starts, writes to its folder, calls and is gone', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'aizuchi-doctor-test-'));
    const gateway = await docker.gateway();
    const { AIZUCHI_DOCKER_HOST, AIZUCHI_DOCKER_IMAGE } = process.env;
    const env = {
      ...(AIZUCHI_DOCKER_HOST && { AIZUCHI_DOCKER_HOST }),
      ...(AIZUCHI_DOCKER_IMAGE && { AIZUCHI_DOCKER_IMAGE }),
      AIZUCHI_EXECUTOR: 'docker',
      AIZUCHI_HOME: join(folder, 'home'),
      AIZUCHI_HOST: gateway,
      AIZUCHI_WORKSPACE_ROOTS: folder,
      MCP_PORT: '0',
    };
    const found = await containerFindings(env, await loadSupervisorConfig(env, services));
    expect(found).toEqual([
      { kind: 'good', about: 'containers', sentence: expect.stringMatching(/answers and has the image/) },
      {
        kind: 'good',
        about: 'containers',
        sentence: expect.stringMatching(/^A container .* reached the mcp-server at .*, ended and is gone/),
      },
      { kind: 'note', about: 'isolation', sentence: expect.stringMatching(/Not kept apart: the kernel/) },
    ]);
    expect(await readdir(folder)).toEqual([]);
    await rm(folder, { recursive: true });
  });
