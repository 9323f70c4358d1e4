import { useEffect, useState } from 'react';
import { lateComponent } from '../../lib/late-component.ts';
import { whenLoaded } from '../../lib/queries/when-loaded.ts';
import { useStore } from '../../lib/store.ts';
import { toastsAsked } from '../../lib/toast.ts';

const Toasts = lateComponent(async () => (await import('../../components/Toasts.tsx')).Toasts);

/**
 * Draws toasts once the page is idle, or from the first one on: screen readers hear what is put into a live region only
 * when that was there before. If its code cannot be loaded, every toast tries it again.
 */
export function LateToasts() {
  const asked = useStore(toastsAsked);
  const [isIdle, setIsIdle] = useState(false);
  useEffect(() => whenLoaded(() => setIsIdle(true)), []);
  useEffect(() => {
    if (asked > 0) void Toasts.preload();
  }, [asked]);
  return isIdle || asked > 0 ? <Toasts /> : null;
}
