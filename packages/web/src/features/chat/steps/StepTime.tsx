import { useStopwatchText } from '../../../lib/stopwatch-text.ts';
import { useNow } from '../../../lib/time.ts';

/** How long a step took; of a running one the whole seconds so far. */
export function StepTime({ ms, since }: { readonly ms: number | undefined; readonly since?: number }) {
  const stopwatchText = useStopwatchText();
  if (since !== undefined) return <Running since={since} />;
  return ms === undefined ? null : stopwatchText(ms);
}

function Running({ since }: { readonly since: number }) {
  const stopwatchText = useStopwatchText();
  const now = useNow(1_000).getTime();
  return stopwatchText(Math.max(0, now - since), 0);
}
