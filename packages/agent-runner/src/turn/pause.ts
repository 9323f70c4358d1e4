/** Resolves after this time, when the signal is aborted, or when `onPause` calls what it is given. Never rejects. */
export function pause(
  ms: number,
  { signal, onPause }: { readonly signal: AbortSignal; readonly onPause?: (wake: () => void) => void },
): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, signal.aborted ? 0 : ms);
    signal.addEventListener('abort', end);
    onPause?.(end);
  });
}
