/**
 * The storage of the origin; where the browser refuses it (private window, full), nothing is stored. The keys have the
 * product's name as prefix, because other products on the same origin share the storage.
 */
export const storage = {
  get(key: string): string | undefined {
    try {
      return localStorage.getItem(`aizuchi.${key}`) ?? undefined;
    } catch {
      return undefined;
    }
  },
  set(key: string, value: string): void {
    try {
      localStorage.setItem(`aizuchi.${key}`, value);
    } catch {
      // Not stored: within this tab nothing depends on it.
    }
  },
  remove(key: string): void {
    try {
      localStorage.removeItem(`aizuchi.${key}`);
    } catch {
      // As above.
    }
  },
};

/** Calls the listener when another tab of this origin changes the value. Returns the unsubscribe function. */
export function onStoredElsewhere(key: string, listener: (value: string | undefined) => void): () => void {
  const onStorage = (event: StorageEvent) => {
    if (event.key === `aizuchi.${key}` || event.key === null) listener(storage.get(key));
  };
  window.addEventListener('storage', onStorage);
  return () => window.removeEventListener('storage', onStorage);
}
