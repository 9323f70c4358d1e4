/** Which Coordinator speaks: its host, that host's boot, and the home that it keeps its state in. */
export interface CoordinatorIdentity {
  readonly host: string;
  readonly bootId: string;
  /** One process per home: a lock says so. Null: an earlier version, or one that names none. */
  readonly instanceId: string | null;
}

export interface IdHolder extends CoordinatorIdentity {
  readonly lastSeenAt: Date;
  /** Its runs were given up; null while they are its own. */
  readonly lostAt: Date | null;
}

/** A live one beats at least every five seconds; a host that has booted anew was away for longer. */
const REBOOT_MS = 15_000;

/**
 * Whether `claimant` may go on under the id that `holder` has. Two that share one id would give up each other's runs,
 * since neither lists those of the other. The second waits until those of the first are given up.
 */
export function mayHoldId(holder: IdHolder, claimant: CoordinatorIdentity, now: Date): boolean {
  if (holder.lostAt !== null) return true;
  const isSameHost = holder.host === claimant.host;
  if (holder.instanceId !== null && holder.instanceId !== claimant.instanceId) return false;
  // The name of a host may change while it runs; that of a container does with each start.
  const isSameHome = holder.instanceId !== null;
  if (holder.bootId === claimant.bootId && (isSameHome || isSameHost)) return true;
  // The same home under another boot: a reboot ended all of its runs, a copy of the home did not and still beats.
  return isSameHost && now.getTime() - holder.lastSeenAt.getTime() >= REBOOT_MS;
}
