import type { Page } from 'playwright-core';
import { ApiCaller } from '../../../tests/e2e/web/support/api-caller.ts';
import { launchChromium } from '../../../tests/e2e/web/support/chromium.ts';
import { type RunningProduct, startProduct } from '../../commands/product.ts';

/** The product as `npm start` runs it, and a Chromium in which the owner is signed in. */
export interface BenchPage {
  readonly page: Page;
  readonly owner: ApiCaller;
  readonly product: RunningProduct;
  close(): Promise<void>;
}

export async function openBenchPage(env: Record<string, string> = {}): Promise<BenchPage> {
  const [product, browser] = await Promise.all([
    startProduct({ RATE_LIMIT_PER_MINUTE: '0', ...env }),
    launchChromium(),
  ]);
  const url = product.environment.AIZUCHI_WEB_URL ?? '';
  const passkey = product.environment.AIZUCHI_OWNER_PASSKEY ?? '';
  const context = await browser.newContext({
    baseURL: url,
    locale: 'ja-JP',
    viewport: { width: 1440, height: 900 },
  });
  const login = await context.request.post(`${url}/api/auth/login`, { data: { agentId: 'owner', passkey } });
  const { csrf } = (await login.json()) as { csrf: string };
  await context.addInitScript(`localStorage.setItem('aizuchi.csrf', ${JSON.stringify(csrf)})`);
  const page = await context.newPage();
  return {
    page,
    owner: await ApiCaller.signIn(url, 'owner', passkey),
    product,
    async close() {
      await browser.close();
      await product.stop();
    },
  };
}
