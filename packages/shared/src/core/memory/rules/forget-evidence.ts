/** A state as a revision keeps it; `payload` is an object whose keys are fields of their own here. */
export type Snapshot = Readonly<Record<string, unknown>>;

export interface RevisionOf {
  readonly id: number;
  /** null: the state did not exist. */
  readonly before: Snapshot | null;
  readonly after: Snapshot;
  readonly evidence: readonly string[];
  readonly isByPerson: boolean;
}

export interface Forgotten {
  /** The revisions that stay, as they would be if the others had never been made. */
  readonly kept: readonly RevisionOf[];
  readonly removed: readonly number[];
  /** What the state says now; null: neither an event nor a person is left that says it. */
  readonly snapshot: Snapshot | null;
}

/**
 * The history of a state without what was learnt from these events alone: their revisions go, and the others are
 * applied again one after the other. A revision without evidence (a person's, or one that tidied) stays as long as
 * something is left that says what it changes. `revisions`: the oldest first.
 */
export function forgetEvidence(revisions: readonly RevisionOf[], gone: ReadonlySet<string>): Forgotten {
  const kept: RevisionOf[] = [];
  const removed: number[] = [];
  /** What the state said first: what a later event confirmed without saying it again must not be lost. */
  let first: Snapshot | null = null;
  let now: Snapshot | null = null;
  for (const revision of revisions) {
    first ??= revision.after;
    if (revision.evidence.length > 0 && revision.evidence.every((id) => gone.has(id))) {
      removed.push(revision.id);
      continue;
    }
    const after = changed(now ?? first, revision.before ?? {}, revision.after);
    kept.push({
      ...revision,
      before: now,
      after,
      evidence: revision.evidence.filter((id) => !gone.has(id)),
    });
    now = after;
  }
  if (kept.some(({ evidence, isByPerson }) => isByPerson || evidence.length > 0))
    return { kept, removed, snapshot: now };
  return { kept: [], removed: revisions.map(({ id }) => id), snapshot: null };
}

/** `base` with the fields in which `after` differs from `before`. */
function changed(base: Snapshot, before: Snapshot, after: Snapshot): Snapshot {
  const result = { ...base };
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, next] = [before[key], after[key]];
    if (isSame(old, next)) continue;
    if (key in after) result[key] = isRecord(next) ? changed(recordOf(base[key]), recordOf(old), next) : next;
    else delete result[key];
  }
  return result;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function recordOf(value: unknown): Snapshot {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Snapshot {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
