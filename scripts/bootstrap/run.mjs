import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { compileCache } from './cache.mjs';
import { modules, root } from './paths.mjs';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const running = new Set();
let isStopping = false;

// npm ends as soon as it gets the signal, and a signal may reach only this process. So it is passed on to the
// children, and this process waits until they have ended.
for (const signal of signals) {
  process.on(signal, () => {
    isStopping = true;
    for (const child of running) child.kill(signal);
    if (running.size === 0) process.exit(0);
  });
}

/**
 * npm passes on no signal when it is killed with SIGKILL. It runs this process under a shell: if either of the two is
 * gone, this process ends as after SIGTERM.
 */
export function endWithOurParent() {
  const before = ourParents();
  const timer = setInterval(() => {
    if (ourParents().join() === before.join()) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 500);
  timer.unref();
}

function ourParents() {
  const parent = process.ppid;
  if (process.env.npm_lifecycle_event === undefined || process.platform !== 'linux') return [parent];
  try {
    const stat = readFileSync(`/proc/${parent}/stat`, 'utf8');
    const [, name, grandparent] = /\((.*)\) \S (\d+)/.exec(stat) ?? [];
    // Without a shell in between, npm is the direct parent. Its own parent is a terminal, which may end at any time.
    return /^(ba|da|a|z|k)?sh$/.test(name ?? '') ? [parent, Number(grandparent)] : [parent];
  } catch {
    return [parent];
  }
}

/** One step of the preparation. It prints nothing if there was nothing to do. */
export async function step(name, action) {
  const startedAt = Date.now();
  const didSomething = await action();
  if (didSomething)
    console.error(`aizuchi: ${name} done in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
}

/** Runs a tool of the preparation; throws if it fails. Its output goes to stderr. */
export async function runTool(file, args, { cwd = root, env = {} } = {}) {
  const code = await run(file, args, {
    cwd,
    env: { ...process.env, PATH: join(modules, '.bin') + delimiter + process.env.PATH, ...env },
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (isStopping) process.exit(0);
  if (code !== 0) throw new Error(`aizuchi: ${file} ${args[0] ?? ''} failed with code ${code}`);
}

/** Runs the command itself with our stdin, stdout and stderr. Its IPC channel shows it when this process dies. */
export function runCommand(file, args) {
  // Where it cannot be written there is none.
  const env = { NODE_COMPILE_CACHE: compileCache, ...process.env };
  return run(file, args, { cwd: root, env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
}

function run(file, args, options) {
  if (isStopping) process.exit(0);
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, options);
    running.add(child);
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      running.delete(child);
      resolve(signal ? 1 : (code ?? 1));
    });
  });
}
