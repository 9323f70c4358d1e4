import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubernetesConfig } from '@aizuchi/shared/platform/config/kubernetes-config';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { clusterIsolation, kubernetesFinding } from './kubernetes.ts';

const CONFIG: KubernetesConfig = {
  configFile: undefined,
  namespace: 'aizuchi-runs',
  image: 'registry.example.org/runner',
  mcpUrl: 'http://mcp-server.aizuchi:4101/mcp',
  limits: { memoryMb: 1_024, cpus: 2 },
  nodes: { aizuchi: 'agents' },
  claims: [],
  hostPaths: [],
};

/** An API that refuses some calls, and what was asked of it. */
async function findingOf(refused: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'cluster-'));
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://cluster');
    const call = `${request.method} ${pathname.split('/').at(-1)}${searchParams.has('dryRun') ? ' (trial)' : ''}`;
    asked.push(call);
    const isRefused = refused.includes(call);
    const list = { metadata: { resourceVersion: '1' }, items: [] };
    response.writeHead(isRefused ? 403 : 200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(isRefused ? { message: `${call} is forbidden` } : list));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = z.object({ port: z.number() }).parse(server.address());
  const configFile = join(folder, 'config');
  const kubeconfig = {
    // The client speaks without TLS only when it is told not to verify.
    clusters: [
      { name: 'c', cluster: { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } },
    ],
    users: [{ name: 'u', user: { token: 't' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  await writeFile(configFile, JSON.stringify(kubeconfig));
  const finding = await kubernetesFinding('containers', { ...CONFIG, configFile });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
  return { finding, asked };
}

test('a cluster that would take a run: nothing is made there', async () => {
  const { finding, asked } = await findingOf([]);
  expect(finding).toMatchObject({
    kind: 'note',
    sentence: expect.stringMatching(/would take a run in the namespace aizuchi-runs.*aizuchi=agents.*runner/),
  });
  expect(asked.toSorted()).toEqual([
    'GET jobs',
    'GET pods',
    'GET secrets',
    'POST jobs (trial)',
    'POST secrets (trial)',
  ]);
});

test('an account without a right is told which', async () => {
  const { finding } = await findingOf(['POST jobs (trial)']);
  expect(finding).toMatchObject({
    kind: 'bad',
    sentence: expect.stringMatching(/aizuchi-runs: POST jobs \(trial\) is forbidden.*coordinator-role\.yaml/),
  });
});

test('what keeps runs apart is said, and what not', () => {
  expect(clusterIsolation('isolation', CONFIG).sentence).toMatch(/1024 MiB and 2 processors.*podPidsLimit/);
});
