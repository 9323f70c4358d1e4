import type { Page } from 'playwright-core';

/** Does something, and waits until this text was shown, also where it goes after some seconds: each frame is searched. */
export async function seesInPassing(
  page: Page,
  text: string,
  act: () => unknown,
  within = 'body',
): Promise<void> {
  const isShown = page.evaluate(`new Promise((resolve, reject) => {
    const isShown = (one) => one.textContent.includes(${JSON.stringify(text)});
    const isThere = () => [...document.querySelectorAll(${JSON.stringify(within)})].some(isShown);
    const look = () => (isThere() ? resolve() : requestAnimationFrame(look));
    if (isThere()) reject(new Error('It was shown before.'));
    else look();
  })`);
  await Promise.all([isShown, act()]);
}
