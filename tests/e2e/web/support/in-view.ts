import type { Locator } from 'playwright-core';

/** Whether the middle of it is what stands there: not out of the window, and not under something else. */
export const isInView = (one: Locator): Promise<boolean> =>
  one.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return element.contains(element.ownerDocument.elementFromPoint(left + width / 2, top + height / 2));
  });
