import { useEffect, useState } from 'react';
import { lateComponent } from '../../../lib/late-component.ts';
import { whenLoaded } from '../../../lib/queries/when-loaded.ts';

const Work = lateComponent(async () => (await import('./BackgroundWork.tsx')).BackgroundWork);

/** What the page does for notifications while it is open. Its code is loaded once the page has nothing else to do. */
export function Background() {
  const [isIdle, setIsIdle] = useState(false);
  useEffect(() => whenLoaded(() => setIsIdle(true)), []);
  return isIdle && <Work />;
}
