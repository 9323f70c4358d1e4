import type { Page } from 'playwright-core';

let count = 0;

/** Does something, and waits until this text was shown, also where it goes after some seconds: each frame is searched. */
export async function seesInPassing(
  page: Page,
  text: string,
  act: () => unknown,
  within = 'body',
): Promise<void> {
  count += 1;
  const seen = `window.seenInPassing${count}`;
  // Not with the act: what it causes could reach the page before the search.
  await page.evaluate(`(() => {
    const isShown = (one) => one.textContent.includes(${JSON.stringify(text)});
    const isThere = () => [...document.querySelectorAll(${JSON.stringify(within)})].some(isShown);
    if (isThere()) throw new Error('It was shown before.');
    ${seen} = new Promise((resolve) => {
      const look = () => (isThere() ? resolve() : requestAnimationFrame(look));
      look();
    });
  })()`);
  await act();
  await page.evaluate(`${seen} ?? Promise.reject(new Error('The page was loaded anew.'))`);
}
