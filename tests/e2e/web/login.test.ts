import { describe, expect, test } from 'vitest';
import { expectNoViolations } from './support/axe.ts';
import { expectGoodLook, LOOKS } from './support/look.ts';
import { screenshot } from './support/screenshot.ts';
import { useOwnWeb } from './support/web.ts';

/** No language is set: the first sign-in chooses that of the welcome project. */
const web = useOwnWeb({ AIZUCHI_LOCALE: '' });

describe('the sign-in', () => {
  test.each(LOOKS)('is free of violations in $locale, $width px', async (look) => {
    const page = await web.page({ ...look, path: '/login' });
    await page.getByTestId('login-submit').waitFor();
    await expectGoodLook(page, `login-${look.locale}-${look.width}`);
  });

  test('a requested address is opened after the sign-in', async () => {
    const page = await web.page({ locale: 'en', path: '/projects/prj_welcome/settings' });
    await page.waitForURL(/\/login\?next=/);
    await page.getByTestId('login-agent-id').fill('owner');
    await page.getByTestId('login-passkey').fill(web.passkey);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/projects/prj_welcome/settings');
    await page.getByTestId('account-menu').waitFor();
    // Nobody has set a language: the welcome project is in that of the first sign-in.
    await page.getByRole('banner').getByText('Welcome').waitFor();
    await page.getByTestId('agent-avatar-agt_welcome_guide').waitFor();
    await page.getByTestId('member-agt_welcome_guide').getByText('Beacon').waitFor();
    await page.goto('/projects/prj_welcome');
    await page.getByText('Ask Beacon "How are the tasks going?"').waitFor();
    await screenshot(page, 'welcome-en');
  });

  test('a wrong passkey is refused in one sentence, and a right one works afterwards', async () => {
    const page = await web.page({ locale: 'en', path: '/login' });
    await page.getByTestId('login-agent-id').fill('owner');
    await page.getByTestId('login-passkey').fill('not this one');
    await page.getByTestId('login-submit').click();
    await page.getByText('The ID or the passkey is wrong.').waitFor();
    await screenshot(page, 'login-refused-en');
    await expectNoViolations(page);
    await page.getByTestId('login-passkey').fill(web.passkey);
    await page.getByTestId('login-submit').click();
    await page.waitForURL('**/projects');
  });

  test('the link that the start printed signs in once', async () => {
    const link = web.product.environment.AIZUCHI_SIGN_IN_URL ?? '';
    const page = await web.page({ locale: 'en' });
    await page.goto(link);
    await page.waitForURL('**/projects');
    await page.getByTestId('project-prj_welcome').waitFor();
    const other = await web.page({ locale: 'en' });
    await other.goto(link);
    await other.getByText('This sign-in link does not work.').waitFor();
  });

  test('an invalid link shows an error and is removed from the address', async () => {
    const page = await web.page({ locale: 'ja', path: '/login#code=not-a-code' });
    await page.getByText('このサインイン用リンクは使えません').waitFor();
    await expect.poll(() => new URL(page.url()).hash).toBe('');
  });

  test('signing out takes effect in every tab', async () => {
    const page = await web.signedIn({ locale: 'en' });
    const second = await web.page({ sameAs: page, path: '/projects' });
    await second.getByTestId('account-menu').waitFor();
    await page.getByTestId('account-menu').click();
    await page.getByTestId('sign-out').click();
    await page.getByText('You are signed out.').waitFor();
    await second.waitForURL(/\/login/);
  });

  test('a sign-in that the server does not know any more leads back to the login', async () => {
    const page = await web.signedIn({ locale: 'en' });
    await page.getByTestId('account-menu').waitFor();
    // The reason is shown once: a call of the open page must not be what finds out.
    const address = page.url();
    await page.goto('about:blank');
    await page.context().clearCookies();
    await page.goto(address);
    await page.getByText('Your sign-in has expired.').waitFor();
  });
});
