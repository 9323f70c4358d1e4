import { StartError } from '../../launch/start-error.ts';
import type { RunErrorTexts } from '../../texts/run-errors.ts';
import type { SwarmWatch } from './swarm-watch.ts';
import { begunTask, nodeOf, type Sight, type Task, whyWaiting } from './task-state.ts';

/** A manager places a service at once when a node can take it. */
const PLACING_MS = 15_000;
/** A node may have to get the image first. Less than the time in which an agent must have signed in: who waits is told by us. */
const BEGINNING_MS = 240_000;

interface BeginningOptions {
  readonly watch: Pick<SwarmWatch, 'until'>;
  readonly texts: Pick<RunErrorTexts, 'noNode' | 'nodeLate'>;
  readonly image: string;
  /** It shall not start any more. */
  readonly signal: AbortSignal | undefined;
}

/** The task of a service when it runs, or is over. Throws StartError when no node takes it, or it does not begin there. */
export async function beginningOf(
  serviceId: string,
  { watch, texts, image, signal }: BeginningOptions,
): Promise<{ readonly task: Task; readonly sight: Sight }> {
  const placedBy = performance.now() + PLACING_MS;
  let reason = '';
  let node: string | undefined;
  const begun = await watch.until(
    (sight) => {
      const task = begunTask(serviceId, sight);
      if (task) return { task, sight };
      node = nodeOf(serviceId, sight);
      reason = whyWaiting(serviceId, sight) ?? '';
      return reason !== '' && performance.now() > placedBy ? 'late' : undefined;
    },
    AbortSignal.any([AbortSignal.timeout(BEGINNING_MS), ...(signal ? [signal] : [])]),
  );
  if (begun !== undefined && begun !== 'late') return begun;
  throw new StartError(node ? texts.nodeLate(node, image) : texts.noNode(reason || 'ETIMEDOUT'));
}
