import { useSyncExternalStore } from 'react';

/** Whether the person looks at this tab: it is visible and has the focus. */
export function useHasAttention(): boolean {
  return useSyncExternalStore(subscribe, hasAttention);
}

function hasAttention(): boolean {
  return document.visibilityState === 'visible' && document.hasFocus();
}

function subscribe(listener: () => void): () => void {
  for (const type of ['focus', 'blur']) window.addEventListener(type, listener);
  document.addEventListener('visibilitychange', listener);
  return () => {
    for (const type of ['focus', 'blur']) window.removeEventListener(type, listener);
    document.removeEventListener('visibilitychange', listener);
  };
}
