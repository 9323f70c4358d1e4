import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { z } from 'zod';

const resultSchema = z.object({
  violations: z.array(
    z.object({
      id: z.string(),
      help: z.string(),
      nodes: z.array(z.object({ html: z.string(), failureSummary: z.string().optional() })),
    }),
  ),
});

/** Checks all rules of axe, best practices included, or only the given rules. */
export async function expectNoViolations(page: Page, rules: readonly string[] = []): Promise<void> {
  // A document keeps what was compiled in it: doing so again would take longer than the check itself.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source);
  const options: axe.RunOptions = {
    resultTypes: ['violations'],
    // Style sheets and media are loaded again only for rules that are off, or about sound.
    preload: false,
    ...(rules.length > 0 && { runOnly: { type: 'rule', values: [...rules] } }),
  };
  const result: unknown = await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`);
  const found = resultSchema
    .parse(result)
    .violations.map(({ id, help, nodes }) =>
      [`${id}: ${help}`, ...nodes.map((node) => `${node.html}\n${node.failureSummary ?? ''}`)].join('\n'),
    );
  // In the message, which a report does not shorten.
  expect(found, [page.url(), ...found].join('\n')).toEqual([]);
}
