import { spawn } from 'node:child_process';

/**
 * Runs for some seconds longer than the Coordinator and ends what is left in its groups. By then the watchers
 * of the runs have ended, or an agent has killed them, because they run as the agents' account. The keeper
 * runs as our own account; when that is root, agents cannot end it.
 */
const KEEPER = `trap '' TERM INT HUP
read -r _
over() { rmdir "$0"/*/ 2>/dev/null; rmdir "$0" 2>/dev/null || [ ! -d "$0" ]; }
over && exit
n=0
while [ $n -lt 12 ]; do sleep 0.5; over && exit; n=$((n + 1)); done
kill_all() {
  { echo 1 >"$0/cgroup.kill"; } 2>/dev/null && return
  { echo 0 >"$0/pids.max" || echo 1 >"$0/cgroup.freeze"; } 2>/dev/null
  for procs in "$0"/*/cgroup.procs; do
    while read -r p; do kill -KILL "$p"; done <"$procs"
  done 2>/dev/null
}
while [ $n -lt 40 ] && ! over; do kill_all; sleep 0.1; n=$((n + 1)); done`;

/** `parent`: the folder with the groups of the runs of this Coordinator only. */
export function startCgroupKeeper(parent: string): void {
  const keeper = spawn('/bin/sh', ['-c', KEEPER, parent], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // The keeper is an additional protection: without it the watchers still do their work.
  keeper.on('error', () => undefined);
  keeper.stdin.on('error', () => undefined);
  keeper.unref();
}
