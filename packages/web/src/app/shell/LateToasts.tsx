import { lazyRouteComponent } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { useStore } from '../../lib/store.ts';
import { isToastWanted } from '../../lib/toast.ts';
import { whenIdle } from '../../lib/when-idle.ts';

const Toasts = lazyRouteComponent(() => import('../../components/Toasts.tsx'), 'Toasts');

/** Draws toasts from the first one on; their code is loaded when the page is idle, so that no toast waits for it. */
export function LateToasts() {
  const isWanted = useStore(isToastWanted);
  useEffect(() => whenIdle(() => void Toasts.preload?.()), []);
  if (!isWanted) return null;
  return (
    <Suspense fallback={null}>
      <Toasts />
    </Suspense>
  );
}
