/**
 * An agent that leaves children behind in every way that a program can: in sessions of their own, by a double fork,
 * with an environment that does not show their origin. `process.argv[2]`: its control folder, whose name is in every
 * command line.
 */
import { spawn } from 'node:child_process';

const word = process.argv[2] ?? '';
const life = 'trap "" TERM HUP INT; while :; do sleep 1; done';
const detached = { detached: true, stdio: 'ignore', env: {}, cwd: '/' } as const;

spawn('/bin/sh', ['-c', life, `${word}-child-detached`], detached).unref();
spawn('/usr/bin/setsid', ['-f', '/bin/sh', '-c', life, `${word}-child-setsid`], detached).unref();
const twice = `(/usr/bin/setsid /bin/sh -c '${life}' "$0" </dev/null >/dev/null 2>&1 &) &`;
spawn('/bin/sh', ['-c', twice, `${word}-child-double-fork`], detached).unref();

setInterval(() => undefined, 60_000);
