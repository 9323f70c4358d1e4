/** The identity of a Coordinator: its host, that host's boot, and the home in which it keeps its state. */
export interface CoordinatorIdentity {
  readonly host: string;
  readonly bootId: string;
  /** A lock ensures one process per home. Null: an earlier version, or a Coordinator that names no home. */
  readonly instanceId: string | null;
}

export interface IdHolder extends CoordinatorIdentity {
  readonly lastSeenAt: Date;
  /** When its runs were given up; null while they belong to it. */
  readonly lostAt: Date | null;
}

/**
 * A live Coordinator sends a beat at least every five seconds; a host that has booted again was away for
 * longer.
 */
const REBOOT_MS = 15_000;

/**
 * Whether `claimant` may use the id that `holder` has. Two Coordinators with the same id would give up each
 * other's runs, because neither lists those of the other. The second waits until the runs of the first are
 * given up.
 */
export function mayHoldId(holder: IdHolder, claimant: CoordinatorIdentity, now: Date): boolean {
  if (holder.lostAt !== null) return true;
  const isSameHost = holder.host === claimant.host;
  if (holder.instanceId !== null && holder.instanceId !== claimant.instanceId) return false;
  // The name of a host may change while it runs; the name of a container changes with each start.
  const isSameHome = holder.instanceId !== null;
  if (holder.bootId === claimant.bootId && (isSameHome || isSameHost)) return true;
  // The same home under another boot: a reboot ended all of its runs; a copy of the home was not rebooted and
  // still sends beats.
  return isSameHost && now.getTime() - holder.lastSeenAt.getTime() >= REBOOT_MS;
}
