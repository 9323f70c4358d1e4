/**
 * The guard of a run: a few lines of POSIX sh between the Coordinator and the agent.
 *
 *   Coordinator ──spawn, own session──▶ sh (guard) ──exec──▶ agent     same pid: exit code and signal are exact
 *        └──────── lifeline, fd 3 ────────▶ watcher (background sh, same group)
 *
 * The guard starts the watcher and becomes the agent, so the agent is the Coordinator's own child. The watcher
 * waits for the end of the lifeline, which comes also when the Coordinator is killed with -9, and then ends the
 * group and every process that carries the run's id: SIGTERM, 5 s, SIGKILL.
 * Rejected: a guard that stays as the agent's parent: sh cannot tell exit code 137 from SIGKILL.
 */
import { z } from 'zod';

/** Its environment is empty, so that its own helpers do not look like processes of the run. */
const WATCHER = `trap '' TERM INT HUP
echo "watcher $$" >&3
read -r _ <&3
exec 3<&-
others() { grep -lzx "AIZUCHI_RUN_ID=$RUN" /proc/[0-9]*/environ 2>/dev/null | tr -dc '0-9\\n'; }
kill -TERM 0
for p in $(others); do kill -TERM "$p" 2>/dev/null; done
[ -d /proc/self ] || sleep 5
n=0
while [ $n -lt 25 ] && [ -n "$(others)" ]; do sleep 0.2; n=$((n + 1)); done
for p in $(others); do kill -KILL "$p" 2>/dev/null; done
kill -KILL 0`;

/** Arguments: whether the agent works in the folder (w: must enter and write it, or -), the watcher's script, the command. */
const GUARD = `mode=$1 watcher=$2
shift 2
[ "$mode" != w ] || { [ -x . ] && [ -w . ]; } || { echo "fault directory" >&3; exit 126; }
[ -x "$1" ] || { echo "fault command" >&3; exit 126; }
( trap '' TERM INT HUP; env -i PATH="$PATH" RUN="$AIZUCHI_RUN_ID" sh -c "$watcher" aizuchi-watcher </dev/null >/dev/null 2>&1 & )
exec "$@" 3<&-`;

export const GUARD_SHELL = '/bin/sh';

export interface GuardedCommand {
  /** Absolute: the guard does not search. */
  readonly file: string;
  readonly args: readonly string[];
  /** Another account than ours works with the files of the folder: checked as that account, before it begins. */
  readonly mustWriteFolder: boolean;
}

/** Arguments for GUARD_SHELL. Nothing in them is secret: they are visible in the process list for a moment. */
export function guardArguments(command: GuardedCommand): string[] {
  const mode = command.mustWriteFolder ? 'w' : '-';
  return ['-c', GUARD, 'aizuchi-guard', mode, WATCHER, command.file, ...command.args];
}

/** What the guard could not do as the agent's account: enter or write the folder, run the command. */
export type GuardFault = 'directory' | 'command';

const lineSchema = z.union([
  z
    .string()
    .regex(/^watcher \d+$/)
    .transform((line) => ({ watcherPid: Number(line.slice('watcher '.length)) })),
  z.literal('fault directory').transform(() => ({ fault: 'directory' as const })),
  z.literal('fault command').transform(() => ({ fault: 'command' as const })),
]);

/** Reads what came over the lifeline; anything else was written by the agent's side and means nothing. */
export function parseGuardLines(text: string): { watcherPid?: number; fault?: GuardFault } {
  return Object.assign({}, ...text.split('\n').map((line) => lineSchema.safeParse(line).data ?? {}));
}
