import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';

/**
 * Packages that hold nothing but large programs of others that tests run: Chromium is a quarter of the whole download,
 * and Gemini CLI is 100 MB. Only commands that use them install them, and a start never does.
 */
const TEST_PROGRAMS = ['tests/agents', 'tests/browser'];
const withoutTestPrograms = [
  '--include-workspace-root',
  ...TEST_PROGRAMS.map((folder) => `--filter=!./${folder}`),
];

/** 60 MB that only a Coordinator needs whose runs live in a Kubernetes cluster. */
const withoutKubernetes = ['--filter=!@aizuchi/kubernetes-client'];
/** Packages that are files once they are built. */
const withoutBuilt = ['--filter=!@aizuchi/web', '--filter=!@aizuchi/agent-runner'];
/**
 * Without devDependencies. A machine that only runs the product needs no copy of the output of install scripts in the
 * store.
 */
const production = ['--prod', '--config.side-effects-cache=false'];

/**
 * The sets that can be installed, each including those before it: what running needs, what building needs, the client
 * of Kubernetes, the tools of developers, the programs of the tests. Their names are the names of the stamps.
 */
export const SETS = [
  {
    name: 'install-run',
    filters: [...withoutTestPrograms, ...withoutKubernetes, ...withoutBuilt],
    options: production,
  },
  { name: 'install-start', filters: [...withoutTestPrograms, ...withoutKubernetes], options: production },
  { name: 'install-kubernetes', filters: withoutTestPrograms, options: production },
  { name: 'install', filters: withoutTestPrograms, options: [] },
  { name: 'install-all', filters: [], options: [] },
];

/** What an installation is made from: when one of these files has changed, it is no longer up to date. */
export function describingFiles() {
  const packages = readdirSync(join(root, 'packages')).map((name) => join('packages', name));
  return [
    'package.json',
    'pnpm-lock.yaml',
    'pnpm-workspace.yaml',
    ...[...packages, ...TEST_PROGRAMS].map((folder) => join(folder, 'package.json')),
  ]
    .map((file) => join(root, file))
    .filter((file) => existsSync(file));
}
