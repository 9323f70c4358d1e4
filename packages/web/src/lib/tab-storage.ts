/** The tab's own storage: it outlives a reload, not the tab. A browser that refuses it only forgets. */
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
      // Full or forbidden: what is in memory still counts.
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
