/**
 * The guard of a run: a few lines of POSIX sh between the Coordinator and the agent.
 *
 *   Coordinator ──spawn, own session──▶ sh (guard) ──exec──▶ agent     same pid: exit code and signal are exact
 *        └──────── lifeline, fd 3 ────────▶ watcher (background sh, same group)
 *
 * The guard waits for a line on the lifeline: the Coordinator puts it into the run's control group first, so that
 * nothing is forked outside of it. Then it starts the watcher and becomes the agent, so the agent is the Coordinator's
 * own child. The watcher waits for the end of the lifeline, which comes also when the Coordinator is killed with -9,
 * and then ends the group and every process that bears the run's mark or id: SIGTERM, 5 s, SIGKILL.
 * Rejected: a guard that stays as the agent's parent: sh cannot tell exit code 137 from SIGKILL.
 */
import { z } from 'zod';
import type { RunMark } from '../run-mark/run-mark.ts';

/**
 * It has its own environment, so that its helpers do not look like processes of the run. They may have the
 * mark of the run: a process that has ended when the search has ended is one of them. The last line ends it
 * too.
 */
const WATCHER = `trap '' TERM INT HUP
echo "watcher $$" >&3
read -r _ <&3
exec 3<&-
search() {
  [ -z "$ID" ] || grep -lzx "AIZUCHI_RUN_ID=$ID" /proc/[0-9]*/environ
  [ -z "$FILE" ] || grep -lE "$PATTERN" /proc/[0-9]*/"$FILE"
}
find_others() {
  others=
  for p in $(search 2>/dev/null | tr -dc '0-9\\n'); do
    [ "$p" = $$ ] || [ ! -d "/proc/$p" ] || others="$others $p"
  done
}
kill -TERM 0
[ -d /proc/self ] || sleep 5
n=0
find_others
[ -z "$others" ] || kill -TERM $others 2>/dev/null
while [ -n "$others" ] && [ $n -lt 25 ]; do sleep 0.2; find_others; n=$((n + 1)); done
n=0
while [ -n "$others" ] && [ $n -lt 50 ]; do kill -KILL $others 2>/dev/null; find_others; n=$((n + 1)); done
kill -KILL 0`;

/** Without effect since Linux 2.4. dash and busybox call it -w, bash -x. */
export const SET_LIMIT = `[ "$limit" = - ] || ulimit -w "$limit" 2>/dev/null || ulimit -x "$limit"`;

/**
 * Arguments: whether the agent works in the folder (w: must enter and write it, or -), the script of the
 * watcher, the trace id unless the mark of the run is certain, file and pattern of the mark, its limit or -, the
 * command. The watcher is started before the limit is set.
 */
const GUARD = `mode=$1 watcher=$2 id=$3 file=$4 pattern=$5 limit=$6
shift 6
read -r _ <&3 || exit 126
[ "$mode" != w ] || { [ -x . ] && [ -w . ]; } || { echo "fault directory" >&3; exit 126; }
[ -x "$1" ] || { echo "fault command" >&3; exit 126; }
( trap '' TERM INT HUP; env -i PATH="$PATH" RUN="$AIZUCHI_RUN_ID" ID="$id" FILE="$file" PATTERN="$pattern" sh -c "$watcher" aizuchi-watcher </dev/null >/dev/null 2>&1 & )
${SET_LIMIT}
exec "$@" 3<&-`;

const GUARD_SHELL = '/bin/sh';
/** Part of util-linux. Sets a supplementary group, which spawn cannot. */
const SET_PRIVILEGES = '/usr/bin/setpriv';

export interface GuardedCommand {
  readonly traceId: string;
  /** An absolute path: the guard does not search. */
  readonly file: string;
  readonly args: readonly string[];
  /**
   * An account other than ours works with the files of the folder: the folder is checked as that account,
   * before the agent begins.
   */
  readonly mustWriteFolder: boolean;
}

/** Arguments for the shell. They contain no secret: for a moment they are visible in the process list. */
export function guardArguments(command: GuardedCommand, mark: RunMark | undefined): string[] {
  const mode = command.mustWriteFolder ? 'w' : '-';
  const id = mark?.isCertain ? '' : command.traceId;
  const words = [id, mark?.file ?? '', mark?.pattern ?? '', String(mark?.limit ?? '-')];
  return ['-c', GUARD, 'aizuchi-guard', mode, WATCHER, ...words, command.file, ...command.args];
}

export interface ShellStart {
  readonly file: string;
  readonly args: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * How the shell is started as the account, with the supplementary group of the run where that is its mark.
 */
export function shellAs(
  account: { readonly uid: number; readonly gid: number } | undefined,
  mark: RunMark | undefined,
  args: readonly string[],
): ShellStart {
  if (!account) return { file: GUARD_SHELL, args };
  const { uid, gid } = account;
  if (mark?.gid === undefined) return { file: GUARD_SHELL, args, uid, gid };
  const ids = [`--reuid=${uid}`, `--regid=${gid}`, `--groups=${mark.gid}`];
  return { file: SET_PRIVILEGES, args: [...ids, '--', GUARD_SHELL, ...args] };
}

/** What the guard could not do as the account of the agent: enter or write the folder, run the command. */
export type GuardFault = 'directory' | 'command';

const lineSchema = z.union([
  z
    .string()
    .regex(/^watcher \d+$/)
    .transform((line) => ({ watcherPid: Number(line.slice('watcher '.length)) })),
  z.literal('fault directory').transform(() => ({ fault: 'directory' as const })),
  z.literal('fault command').transform(() => ({ fault: 'command' as const })),
]);

/**
 * Reads what came over the lifeline. The first line is from the guard or its watcher, written before the
 * agent began. Later lines mean nothing: an agent can write there with the descriptor of the watcher.
 */
export function parseGuardLines(text: string): { watcherPid?: number; fault?: GuardFault } {
  const [first = '', ...rest] = text.split('\n');
  return rest.length === 0 ? {} : (lineSchema.safeParse(first).data ?? {});
}
