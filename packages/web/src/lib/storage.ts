/**
 * The origin's storage; a browser that refuses it (private windows, full) only forgets. The keys carry the
 * product's name: other ports of the host have storage of their own, other products on this origin do not.
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
      // Nothing is lost that a person would miss in this tab.
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

/** Calls when another tab of this origin changed the value. */
export function onStoredElsewhere(key: string, listener: (value: string | undefined) => void): () => void {
  const onStorage = (event: StorageEvent) => {
    if (event.key === `aizuchi.${key}` || event.key === null) listener(storage.get(key));
  };
  window.addEventListener('storage', onStorage);
  return () => window.removeEventListener('storage', onStorage);
}
