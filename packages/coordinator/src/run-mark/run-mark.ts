/**
 * How the processes of a run are known from all others, however they detach: by a mark that every descendant inherits
 * and cannot take off. The first of these that works on this host:
 *
 *   cgroup   a control group of its own; as root nobody in it can leave. The kernel ends it at once.
 *   group    as root: a supplementary group of its own, which takes root's rights to give back
 *   limit    a hard limit without effect (RLIMIT_LOCKS) that is the run's alone: `env -i`, setsid and forks keep it;
 *            a program that lowers it on purpose is lost
 *
 * With all of them, and alone where there is none: the process group, and AIZUCHI_RUN_ID in the environment.
 */
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';

export type MarkKind = 'cgroup v2' | 'cgroup v1' | 'group' | 'limit' | 'none';

export const runMarkSchema = z.object({
  /**
   * A file of /proc/PID, and the line in it that identifies the processes of the run; valid as POSIX ERE and
   * in JavaScript.
   */
  file: z.enum(['cgroup', 'status', 'limits']),
  pattern: z.string(),
  /** The folder of its control group. */
  cgroup: z.string().optional(),
  /** The supplementary group that its first process is given. */
  gid: z.number().int().optional(),
  /** The hard limit that its first process is given. */
  limit: z.number().int().optional(),
  /** A process in it cannot remove the mark: nothing else needs to be searched. */
  isCertain: z.boolean(),
});
/** The mark of one run; it is in the journal too, for the next Coordinator. */
export type RunMark = z.infer<typeof runMarkSchema>;

/**
 * Nobody else has `parent`, and the pattern relies on that: a reader of the file may see another beginning of
 * the path.
 */
export function cgroupMark(parent: string, traceId: string, isCertain: boolean): RunMark {
  const name = parent.slice(parent.lastIndexOf('/') + 1);
  return { file: 'cgroup', pattern: `/${name}/${traceId}(/|$)`, cgroup: join(parent, traceId), isCertain };
}

/** Above the numbers that accounts and containers use; no files belong to it. */
const GID_FROM = 2_000_000_000;
const GID_TO = 2_147_000_000;

export function groupMark(): RunMark {
  const gid = randomInt(GID_FROM, GID_TO);
  return { file: 'status', pattern: `^Groups:.*[\t ]${gid}( |$)`, gid, isCertain: true };
}

const LIMIT_FROM = 2 ** 40;
const LIMIT_TO = 2 ** 47;

/** With fewer numbers two installations on one host would soon use the same. */
const MIN_LIMITS = 2 ** 20;

/** `most`: our own hard limit, when one is set. Undefined when it leaves too few numbers. */
export function limitMark(most = LIMIT_TO): RunMark | undefined {
  const to = Math.min(most, LIMIT_TO);
  const from = Math.min(LIMIT_FROM, Math.floor(to / 2));
  if (to - from < MIN_LIMITS) return undefined;
  const limit = randomInt(from, to);
  return { file: 'limits', pattern: `^Max file locks +[0-9a-z]+ +${limit} `, limit, isCertain: false };
}
