import type { Page } from 'playwright-core';
import type { RunnerTestCase } from 'vitest';

const MAX_LETTERS = 900;
const SHOWN = `[location.href, document.activeElement?.outerHTML.slice(0, 200), document.body.innerText.slice(0, ${MAX_LETTERS})].join('\\n')`;

/**
 * A timeout says what did not come, and not what was there instead: adds address, focus and text of each open page to
 * the error of a test that has failed. Such a failure may be rare, and the machine that saw it far away.
 */
export async function notePages({ result }: RunnerTestCase, pages: readonly Page[]): Promise<void> {
  if (result?.state !== 'fail') return;
  const error = result.errors?.[0];
  if (!error) return;
  const notes = await Promise.all(
    pages.map((page) => page.evaluate(SHOWN).catch((cause: unknown) => `not readable: ${String(cause)}`)),
  );
  error.message = [error.message, ...notes.map((note) => `A page showed ${String(note)}`)].join('\n');
}
