import { useState } from 'react';
import { storage } from '../storage.ts';

/** Whether Enter alone sends a message (else with Ctrl or Cmd). Kept for this browser. */
export function useEnterSends(): readonly [
  enterSends: boolean,
  setEnterSends: (enterSends: boolean) => void,
] {
  const [enterSends, setEnterSends] = useState(() => storage.get('enterSends') === 'yes');
  return [
    enterSends,
    (next) => {
      storage.set('enterSends', next ? 'yes' : 'no');
      setEnterSends(next);
    },
  ];
}
