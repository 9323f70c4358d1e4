import { StartError } from '../../launch/start-error.ts';
import type { RunErrorTexts } from '../../texts/run-errors.ts';
import type { Cluster } from './cluster.ts';
import { beginningOfPod, nodeOfPod, type Pod } from './pod-state.ts';
import type { PodWatch } from './pod-watch.ts';

/** A scheduler places a pod at once when a node can take it; one that is added for it takes minutes, and Retry finds it. */
const PLACING_MS = 60_000;
/** A node may have to get the image first. Less than the time in which an agent must have signed in: who waits is told by us. */
const BEGINNING_MS = 240_000;

interface BeginningOptions {
  readonly cluster: Pick<Cluster, 'lastWord'>;
  readonly watch: Pick<PodWatch, 'until'>;
  readonly texts: Pick<RunErrorTexts, 'podNotPlaced' | 'podLate'>;
  /** Of the Job. */
  readonly name: string;
  /** It shall not start any more. */
  readonly signal: AbortSignal | undefined;
  readonly placingMs?: number | undefined;
}

/** The pod of a run when it runs, or is over. Throws StartError when no node takes it, or it does not begin there. */
export async function beginningOf(
  runId: string,
  { cluster, watch, texts, name, signal, placingMs = PLACING_MS }: BeginningOptions,
): Promise<Pod> {
  const placedBy = performance.now() + placingMs;
  const seen: { pod?: Pod | undefined; reason: string } = { reason: '' };
  const begun = await watch.until(
    (pods) => {
      const pod = pods.get(runId);
      seen.pod = pod;
      const beginning = beginningOfPod(pod, Date.now());
      if (pod && (beginning.kind === 'begun' || beginning.kind === 'over')) return { pod };
      seen.reason = beginning.kind === 'unplaced' ? beginning.reason : '';
      return beginning.kind === 'unplaced' && performance.now() > placedBy ? 'late' : undefined;
    },
    AbortSignal.any([AbortSignal.timeout(BEGINNING_MS), ...(signal ? [signal] : [])]),
  );
  if (begun !== undefined && begun !== 'late') return begun.pod;
  // Why there is no pod, or why it does not begin, stands in an event only.
  const { pod, reason } = seen;
  const word = await cluster.lastWord(pod?.metadata.name ?? name).catch(() => undefined);
  throw new StartError(
    pod?.spec.nodeName === undefined
      ? texts.podNotPlaced((reason || word) ?? 'no pod yet')
      : texts.podLate(nodeOfPod(pod), word ?? '–'),
  );
}
