import { lazy, Suspense, useEffect, useState } from 'react';
import { whenIdle } from '../../../lib/when-idle.ts';

const Work = lazy(() => import('./BackgroundWork.tsx'));

/** What the page does for notifications while it is open. Its code is loaded once the page has nothing else to do. */
export function Background() {
  const [isIdle, setIsIdle] = useState(false);
  useEffect(() => whenIdle(() => setIsIdle(true)), []);
  if (!isIdle) return null;
  return (
    <Suspense>
      <Work />
    </Suspense>
  );
}
