/**
 * Runs `npm start`, `npm test` and the other commands on a bare machine: plain JavaScript for the host's Node (20 or
 * newer), without dependencies. Installs and builds what is not up to date, then runs the command with Node 24.
 * Progress is written to stderr; stdout is for the command.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, needsBuild } from './bootstrap/build.mjs';
import { pruneCompileCache } from './bootstrap/cache.mjs';
import { install } from './bootstrap/install.mjs';
import { nodePath, root } from './bootstrap/paths.mjs';
import { endWithOurParent, runCommand, step } from './bootstrap/run.mjs';

const [command = 'start', ...args] = process.argv.slice(2);

const commands = {
  start: () => ({ file: 'dist/supervisor.js', args }),
  test: (buildFailed) => ({
    file: 'scripts/commands/test.ts',
    args: buildFailed ? [...args, '--build-failed'] : args,
  }),
  check: (buildFailed) => ({
    file: 'scripts/commands/check.ts',
    args: buildFailed ? [...args, '--build-failed'] : args,
  }),
  adapters: () => ({ file: 'scripts/commands/adapters.ts', args }),
  soak: () => ({ file: 'scripts/commands/soak.ts', args }),
  structure: () => ({ file: 'scripts/commands/structure.ts', args }),
  'gen-schema': () => ({ file: 'scripts/commands/gen-schema.ts', args }),
  'gen-confusables': () => ({ file: 'scripts/commands/gen-confusables.ts', args }),
  'gen-pictures': () => ({ file: 'scripts/commands/pictures.ts', args }),
  'gen-row-pictures': () => ({ file: 'scripts/commands/row-pictures.ts', args }),
  bench: () => benchmark(args),
  doctor: () => ({ file: 'scripts/doctor/main.ts', args }),
  'add-claude': () => ({ file: 'scripts/commands/add-claude.ts', args }),
  chaos: () => ({ file: 'scripts/chaos/main.ts', args }),
  probe: () => ({ file: 'scripts/probe/main.ts', args }),
};

/** Commands that need a browser, and commands that need only what a start needs. All others need the tools. */
const withBrowser = ['test', 'check', 'soak', 'bench', 'gen-pictures', 'gen-row-pictures'];
const asStart = ['start', 'doctor', 'add-claude'];

if (!Object.hasOwn(commands, command)) {
  fail(2, `There is no command ${command}: use one of ${Object.keys(commands).join(', ')}.`);
}
if (Number(process.versions.node.split('.')[0]) < 20) {
  fail(2, `Node ${process.versions.node} is too old: Aizuchi needs Node 20 or newer.`);
}

endWithOurParent();
const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
await step('install', () => install(packageManager, neededSet())).catch((error) => fail(1, error.message));
let buildFailed = false;
await step('build', build).catch((error) => {
  // The test command still runs its other steps, and counts this one as failed.
  if (command !== 'test' && command !== 'check') fail(1, error.message);
  console.error(error.message);
  buildFailed = true;
});
pruneCompileCache();
const target = commands[command](buildFailed);
process.exit(await runCommand(nodePath(), [join(root, target.file), ...target.args]));

function neededSet() {
  if (withBrowser.includes(command)) return 'install-all';
  if (!asStart.includes(command)) return 'install';
  // Only a Coordinator of a cluster needs its client: 60 MB.
  if (process.env.AIZUCHI_EXECUTOR === 'kubernetes') return 'install-kubernetes';
  return needsBuild() ? 'install-start' : 'install-run';
}

function benchmark([name, ...rest]) {
  const file = `scripts/bench/${name}.ts`;
  if (!/^[a-z][a-z0-9-]*$/.test(name ?? '') || !existsSync(join(root, file))) {
    fail(2, `There is no benchmark ${name ?? ''}: npm run bench -- <name>, see scripts/bench.`);
  }
  return { file, args: rest };
}

function fail(code, sentence) {
  console.error(sentence);
  process.exit(code);
}
