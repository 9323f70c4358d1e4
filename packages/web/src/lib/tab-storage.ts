/** The storage of the tab: it survives a reload. Where the browser refuses it, nothing is stored. */
export const tabStorage = {
  get(key: string): string | undefined {
    try {
      return sessionStorage.getItem(`aizuchi.${key}`) ?? undefined;
    } catch {
      return undefined;
    }
  },
  set(key: string, value: string): void {
    try {
      sessionStorage.setItem(`aizuchi.${key}`, value);
    } catch {
      // Full or forbidden: the value in memory is still used.
    }
  },
  remove(key: string): void {
    try {
      sessionStorage.removeItem(`aizuchi.${key}`);
    } catch {
      // As above.
    }
  },
};
