import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DockerConfig, dockerConfig } from '@aizuchi/shared/platform/config/docker-config';
import { expect, test } from 'vitest';
import { swarmFinding } from './swarm.ts';

/** A manager that answers each question in this way; undefined: there is none. */
async function findingOf(answer: { status: number; body: unknown } | undefined) {
  const folder = await mkdtemp(join(tmpdir(), 'manager-'));
  const socket = join(folder, 'docker.sock');
  const server = createServer((_request, response) => {
    response.writeHead(answer?.status ?? 500).end(JSON.stringify(answer?.body));
  });
  if (answer) await new Promise<void>((resolve) => server.listen(socket, resolve));
  const settings = { AIZUCHI_EXECUTOR: 'swarm' as const, AIZUCHI_DOCKER_HOST: `unix://${socket}` };
  const config = dockerConfig(settings, 'http://mcp-server:4101/mcp') as DockerConfig;
  const found = await swarmFinding('containers', { ...config, constraints: ['node.labels.a==b'] });
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
  return found;
}
const node = (State: string, Availability = 'active') => ({ Status: { State }, Spec: { Availability } });

test.each([
  [
    'nodes for runs',
    { status: 200, body: [node('ready'), node('down'), node('ready', 'drain')] },
    {
      kind: 'note',
      sentence: expect.stringMatching(/1 of 3 nodes are ready.*node\.labels\.a==b.*aizuchi-runner/),
    },
  ],
  [
    'no node for runs',
    { status: 200, body: [node('down')] },
    { kind: 'bad', sentence: expect.stringMatching(/none ready/) },
  ],
  [
    'a worker',
    { status: 503, body: { message: 'This node is not a swarm manager.' } },
    { kind: 'bad', sentence: expect.stringMatching(/manages no swarm: This node is not a swarm manager/) },
  ],
  ['no engine', undefined, { kind: 'bad', sentence: expect.stringMatching(/does not answer \(ENOENT\)/) }],
])('%s', async (_what, answer, finding) => {
  expect(await findingOf(answer)).toMatchObject(finding);
});
