/** `npm run gen:pictures`: takes the pictures of the README from the running product. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ApiCaller } from '../../tests/e2e/web/support/api-caller.ts';
import { launchChromium } from '../../tests/e2e/web/support/chromium.ts';
import { startProduct } from './product.ts';
import { root } from './steps.ts';

const TASKS = {
  en: [
    ['Verify the webhook signature', 'in_progress', 'urgent'],
    ['Month-end closing is a day early', 'in_progress', 'high'],
    ['Update old dependencies', 'todo', 'low'],
    ['Decide how long tokens live', 'blocked', 'medium'],
    ['Paging for the monthly totals', 'backlog', 'medium'],
  ],
  ja: [
    ['Webhook の署名を検証する', 'in_progress', 'urgent'],
    ['月次集計が一日早く締まる', 'in_progress', 'high'],
    ['古い依存関係を更新する', 'todo', 'low'],
    ['トークンの有効期限を決める', 'blocked', 'medium'],
    ['月次集計 API にページングを付ける', 'backlog', 'medium'],
  ],
} as const;
const QUESTION = { en: 'How are the tasks going?', ja: 'タスクの進捗を教えてください' } as const;
const SEND = { en: 'Send', ja: '送信' } as const;

const browser = await launchChromium();
try {
  await mkdir(join(root, 'docs', 'images'), { recursive: true });
  await take('en', 'project.png');
  await take('ja', 'project-ja.png');
} finally {
  await browser.close();
}

async function take(locale: 'en' | 'ja', name: string): Promise<void> {
  const product = await startProduct({ AIZUCHI_LOCALE: locale });
  try {
    const url = product.environment.AIZUCHI_WEB_URL ?? '';
    const passkey = product.environment.AIZUCHI_OWNER_PASSKEY ?? '';
    const owner = await ApiCaller.signIn(url, 'owner', passkey);
    for (const [index, [title, status, priority]] of TASKS[locale].entries())
      await owner.call(z.unknown(), 'POST', '/projects/prj_welcome/tasks', {
        title,
        status,
        priority,
        assigneeId: index % 2 === 0 ? 'agt_welcome_guide' : 'agt_welcome_helper',
      });
    const context = await browser.newContext({
      baseURL: url,
      locale: locale === 'ja' ? 'ja-JP' : 'en-GB',
      viewport: { width: 1440, height: 820 },
    });
    const login = await context.request.post(`${url}/api/auth/login`, {
      data: { agentId: 'owner', passkey },
    });
    const { csrf } = z.object({ csrf: z.string() }).parse(await login.json());
    await context.addInitScript(`localStorage.setItem('aizuchi.csrf', ${JSON.stringify(csrf)})`);
    const page = await context.newPage();
    await page.goto('/projects/prj_welcome?agent=agt_welcome_guide');
    const send = page.getByTestId('chat-send-button');
    await send.filter({ hasText: SEND[locale] }).waitFor();
    await page.getByTestId('chat-input').fill(QUESTION[locale]);
    await send.click();
    await page.locator('[data-testid^="chat-message-"] .chat-text').first().waitFor();
    await page.locator('[data-testid^="message-state-"][data-state="answered"]').first().waitFor();
    await page.waitForFunction('document.fonts.ready.then(() => true)');
    await page.screenshot({ path: join(root, 'docs', 'images', name), animations: 'disabled' });
    await context.close();
  } finally {
    await product.stop();
  }
}
