import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load, loadAll, YAML11_SCHEMA } from 'js-yaml';
import { expect, test } from 'vitest';
import { z } from 'zod';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const FOLDER = join(ROOT, 'deploy', 'kubernetes');
/** As Kubernetes and compose read it. */
const options = { schema: YAML11_SCHEMA };

const envSchema = z.array(
  z.object({
    name: z.string(),
    value: z.string().optional(),
    valueFrom: z.object({ secretKeyRef: z.object({ name: z.string(), key: z.string() }) }).optional(),
  }),
);
const containerSchema = z.object({
  image: z.string(),
  args: z.array(z.string()).optional(),
  env: envSchema.default([]),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })).default([]),
});
const objectSchema = z.object({
  kind: z.string(),
  metadata: z.object({ name: z.string(), namespace: z.string().optional() }),
  rules: z.array(z.object({ resources: z.array(z.string()), verbs: z.array(z.string()) })).default([]),
  spec: z
    .looseObject({
      selector: z.unknown().optional(),
      ports: z.array(z.object({ port: z.number() })).default([]),
      template: z
        .object({
          metadata: z.object({ labels: z.record(z.string(), z.string()) }),
          spec: z.object({
            enableServiceLinks: z.boolean().optional(),
            automountServiceAccountToken: z.boolean().optional(),
            containers: z.tuple([containerSchema]),
          }),
        })
        .optional(),
    })
    .optional(),
});
const objects = readdirSync(FOLDER).flatMap((file) =>
  loadAll(readFileSync(join(FOLDER, file), 'utf8'), options).map((one) => objectSchema.parse(one)),
);

const composeSchema = z.object({
  services: z.record(
    z.string(),
    z.object({
      image: z.string(),
      command: z.array(z.string()).optional(),
      environment: z.record(z.string(), z.union([z.string(), z.number()])),
      ports: z.array(z.string()).default([]),
    }),
  ),
});
const compose = composeSchema.parse(load(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), options));

function workloadOf(name: string) {
  const found = objects.find(
    ({ kind, metadata }) => ['Deployment', 'StatefulSet'].includes(kind) && metadata.name === name,
  );
  const template = found?.spec?.template;
  if (!template) throw new Error(`no workload ${name}`);
  return { labels: template.metadata.labels, pod: template.spec, container: template.spec.containers[0] };
}

test('each service of compose has its workload, with the same command and port', () => {
  const names = objects.filter(({ spec }) => spec?.template).map(({ metadata }) => metadata.name);
  expect(names.toSorted()).toEqual(Object.keys(compose.services).toSorted());
  for (const [name, service] of Object.entries(compose.services)) {
    const { container } = workloadOf(name);
    if (service.command) expect(container.args).toEqual(service.command);
    const published = service.ports.map((port) => Number(port.split(':').at(-1)));
    expect(container.ports.map(({ containerPort }) => containerPort)).toEqual(
      expect.arrayContaining(published),
    );
  }
});

test('the database is the image that compose takes; all services are one image', () => {
  const [, image] = /:-(.*)\}$/.exec(compose.services.postgres?.image ?? '') ?? [];
  expect(workloadOf('postgres').container.image).toBe(image);
  const services = ['rest-api', 'mcp-server', 'memory', 'coordinator'];
  expect(new Set(services.map((name) => workloadOf(name).container.image)).size).toBe(1);
});

test('what compose requires of the environment is there, and secrets come by their secret only', () => {
  for (const [name, { environment }] of Object.entries(compose.services)) {
    const { env } = workloadOf(name).container;
    for (const [variable, given] of Object.entries(environment)) {
      if (/:-\}$/.test(String(given))) continue;
      const found = env.find((one) => one.name === variable);
      expect(found, `${name}: ${variable}`).toBeDefined();
      if (/PASSWORD|PASSKEY|TOKEN/.test(variable))
        expect(found?.valueFrom?.secretKeyRef, variable).toEqual({ name: 'aizuchi', key: variable });
    }
  }
});

test('services reach each other by names and ports that there are', () => {
  const ports = new Map(
    objects
      .filter(({ kind }) => kind === 'Service')
      .map(({ metadata, spec }) => [metadata.name, spec?.ports.map(({ port }) => port)]),
  );
  const names = ['rest-api', 'mcp-server', 'memory', 'coordinator', 'postgres'];
  const addresses = names.flatMap((name) =>
    workloadOf(name).container.env.flatMap(({ value = '' }) => {
      const [, host, port] = /:\/\/(?:[^@]*@)?([\w-]+)(?:\.aizuchi)?:(\d+)/.exec(value) ?? [];
      return host === undefined ? [] : [[host, Number(port)] as const];
    }),
  );
  expect(addresses.length).toBeGreaterThan(4);
  for (const [host, port] of addresses) expect(ports.get(host), host).toContain(port);
  for (const name of ports.keys()) expect(workloadOf(name).labels.app).toBe(name);
});

test('no service finds variables of others, and none but the Coordinator speaks with the cluster', () => {
  for (const name of ['rest-api', 'mcp-server', 'memory']) {
    expect(workloadOf(name).pod.enableServiceLinks).toBe(false);
    expect(workloadOf(name).pod.automountServiceAccountToken).toBe(false);
  }
  const { pod, container } = workloadOf('coordinator');
  expect(pod.enableServiceLinks).toBe(false);
  expect(container.env).toContainEqual({ name: 'AIZUCHI_EXECUTOR', value: 'kubernetes' });
});

test('the Coordinator may do what its calls need, in the namespace of the runs, and nothing else', () => {
  expect(objects.filter(({ kind }) => kind.startsWith('Cluster'))).toEqual([]);
  const [role, ...others] = objects.filter(({ kind }) => kind === 'Role');
  expect(others).toEqual([]);
  expect(role?.metadata.namespace).toBe('aizuchi-runs');
  expect(role?.rules.map(({ resources, verbs }) => [resources.join(), verbs.join()])).toEqual([
    ['jobs', 'create,list,delete'],
    ['secrets', 'create,list,delete'],
    ['pods', 'list,watch,delete'],
    ['pods/log', 'get'],
    ['events', 'list'],
    ['pods', 'get'],
  ]);
});

test('a run reaches the mcp-server and the name server only', () => {
  const runs = objects.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'runs');
  expect(runs?.metadata.namespace).toBe('aizuchi-runs');
  const policy = z
    .object({
      podSelector: z.strictObject({}),
      policyTypes: z.array(z.string()),
      ingress: z.undefined().optional(),
      egress: z.array(z.object({ ports: z.array(z.object({ port: z.number() })) })),
    })
    .parse(runs?.spec);
  expect(policy.policyTypes).toEqual(['Ingress', 'Egress']);
  expect(policy.egress.map(({ ports }) => ports.map(({ port }) => port))).toEqual([[4101], [53, 53]]);
});
