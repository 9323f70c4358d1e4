import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { agentSchema } from '@aizuchi/shared/contract/agent';
import { projectSchema } from '@aizuchi/shared/contract/project';
import { describe, expect, test } from 'vitest';
import { expectNoViolations } from './support/axe.ts';
import { isInView } from './support/in-view.ts';
import { expectGoodLook, LOOKS } from './support/look.ts';
import { screenshot } from './support/screenshot.ts';
import { useWeb } from './support/web.ts';

const web = useWeb();

describe('projects', () => {
  test.each(LOOKS)('list and settings are free of violations in $locale, $width px', async (look) => {
    const suffix = `${look.locale}-${look.width}`;
    const page = await web.signedIn(look);
    await page.getByTestId('project-prj_welcome').waitFor();
    await expectGoodLook(page, `projects-${suffix}`);
    await page.goto('/projects/prj_welcome/settings');
    await page.locator('[data-testid^="member-agt_"]').first().waitFor();
    await expectGoodLook(page, `project-settings-${suffix}`);
  });

  test('a new project is created and opened', async () => {
    const page = await web.signedIn({ locale: 'en' });
    await page.getByTestId('project-new').click();
    await page.getByTestId('project-name').fill('Sensor gateway');
    await screenshot(page, 'project-create-en');
    await expectNoViolations(page);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/projects\/prj_/);
    await page.getByRole('banner').getByText('Sensor gateway').waitFor();
  });

  test('a project is deleted in its settings, after a question that names its folder', async () => {
    const project = await web.owner.call(projectSchema, 'POST', '/projects', { name: 'Over' });
    const page = await web.signedIn({ locale: 'en', path: `/projects/${project.id}/settings` });
    await page.getByTestId('project-delete').click();
    const question = page.getByRole('alertdialog').or(page.getByRole('dialog'));
    await question.getByText(project.workingDirectory ?? '').waitFor();
    await question.getByRole('button').last().click();
    await page.waitForURL('**/projects');
    await page.getByTestId('project-prj_welcome').waitFor();
    await expect.poll(() => page.getByTestId(`project-${project.id}`).count()).toBe(0);
  });

  test('a folder that is not allowed is refused in the form, which keeps the typed values', async () => {
    // A zoomed window: the refusal stands under the last field, and is scrolled to.
    const page = await web.signedIn({ locale: 'en', width: 720, height: 450 });
    await page.getByTestId('project-new').click();
    await page.getByTestId('project-name').fill('Nowhere');
    await page.locator('input[name=workingDirectory]').fill('/etc');
    await page.getByTestId('project-save').click();
    const refusal = page.getByRole('alert').getByText('The folder must lie in');
    await refusal.waitFor();
    await expect.poll(() => isInView(refusal)).toBe(true);
    await expect.poll(() => page.getByTestId('project-name').inputValue()).toBe('Nowhere');
    // What it was about is being corrected.
    await page.locator('input[name=workingDirectory]').fill('');
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
  });

  test.each(LOOKS)('a folder is chosen from the list in $locale, $width px, also by keys', async (look) => {
    const { workingDirectory = '' } = await web.owner.call(projectSchema, 'GET', '/projects/prj_welcome');
    const root = join(workingDirectory, '..', '..');
    await mkdir(join(root, 'picked', 'inner'), { recursive: true });
    const page = await web.signedIn(look);
    await page.getByTestId('project-new').click();
    await page.getByTestId('folder-choose').click();
    const picker = page.getByTestId('folder-picker');
    const focused = () => page.evaluate('document.activeElement.textContent');
    // The only allowed place is open at once.
    await expect.poll(focused).toBe('Aizuchi');
    await page.keyboard.press('p');
    await expect.poll(focused).toBe('picked');
    await page.keyboard.press('Home');
    await expect.poll(focused).toBe('Aizuchi');
    await page.keyboard.press('ArrowRight');
    await picker.getByRole('button', { name: 'prj_welcome' }).click();
    const nameOfCurrent = picker.locator('[aria-current=location]');
    await expect.poll(() => nameOfCurrent.textContent()).toBe('prj_welcome');
    await expect.poll(() => picker.getByTestId('folder-use').isDisabled()).toBe(true);
    await expectGoodLook(page, `project-folder-used-${look.locale}-${look.width}`);
    await page.keyboard.press('ArrowLeft');
    await picker.getByRole('button', { name: 'prj_welcome' }).waitFor();
    await picker.getByRole('navigation').getByRole('button', { name: root }).click();
    await picker.getByRole('button', { name: 'picked' }).click();
    await expect.poll(focused).toBe('inner');
    await expectGoodLook(page, `project-folder-${look.locale}-${look.width}`);
    await page.keyboard.press('Enter');
    await expect.poll(() => nameOfCurrent.textContent()).toBe('inner');
    await picker.getByTestId('folder-use').click();
    await expect
      .poll(() => page.locator('input[name=workingDirectory]').inputValue())
      .toBe(join(root, 'picked', 'inner'));
    await picker.waitFor({ state: 'detached' });
  });

  test('agents and people are added and removed', async () => {
    const project = await web.owner.call(projectSchema, 'POST', '/projects', { name: 'Members' });
    const agent = await web.owner.call(agentSchema, 'POST', '/agents', { name: 'Reviewer', type: 'ai' });
    const page = await web.signedIn({ locale: 'en', path: `/projects/${project.id}/settings` });
    await page.getByRole('main').getByText('No agent in this project').waitFor();
    // What is chosen above and not saved yet stays when the members change.
    await page.getByTestId('project-reviewer').selectOption('owner');
    await page.getByTestId('member-add-ai').click();
    await page.getByTestId(`member-add-${agent.id}`).click();
    await page.getByTestId(`member-${agent.id}`).waitFor();
    await page.getByTestId(`agent-avatar-${agent.id}`).waitFor();
    // What somebody else changes is shown when the project is read again: saving would bring the old value back.
    await web.owner.call(projectSchema, 'PATCH', `/projects/${project.id}`, { permissionPolicy: 'deny' });
    await page.getByRole('button', { name: 'Remove Reviewer from the project' }).click();
    await expectNoViolations(page);
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('main').getByText('No agent in this project').waitFor();

    await page.locator('input[name=permissionPolicy][value=deny]:checked').waitFor();

    // Whom nobody has created yet joins by the same button.
    await page.getByTestId('member-add-human').click();
    await page.getByTestId('member-new-human').click();
    await page.getByTestId('person-name').fill('Mori');
    await page.getByTestId('person-save').click();
    await page.getByTestId('invite-once').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('main').getByRole('link', { name: 'Mori' }).waitFor();
    await page.getByTestId('project-reviewer').getByText('Mori').waitFor({ state: 'attached' });
    await expect.poll(() => page.getByTestId('project-reviewer').inputValue()).toBe('owner');
  });

  test('a project without an agent offers existing agents beside its board', async () => {
    const project = await web.owner.call(projectSchema, 'POST', '/projects', { name: 'Empty' });
    const page = await web.signedIn({ locale: 'en', path: `/projects/${project.id}` });
    const offer = page.locator('[data-testid^="offer-agt_welcome"]').first();
    await offer.waitFor();
    await expectGoodLook(page, 'no-agents-en');
    await offer.click();
    await page.locator('[data-testid^="agent-avatar-"]').waitFor();
    await offer.waitFor({ state: 'detached' });
  });

  test('a person who is not a member does not see it', async () => {
    const project = await web.owner.call(projectSchema, 'POST', '/projects', { name: 'Closed' });
    const person = { id: 'mori', passkey: 'mori-has-a-passkey' };
    await web.owner.call(agentSchema, 'POST', '/agents', {
      id: person.id,
      name: 'Mori',
      type: 'human',
      accessLevel: 'member',
    });
    await web.owner.call(agentSchema.partial(), 'POST', `/agents/${person.id}/passkey`, {
      passkey: person.passkey,
    });
    const page = await web.signedIn({ locale: 'en', as: person });
    await page.getByText('No projects yet').waitFor();
    await page.goto(`/projects/${project.id}`);
    await page.getByText('There is no such page').waitFor();
  });
});

describe('the frame of a project', () => {
  test('an avatar opens the chat beside the page; its width is stored; Esc closes it', async () => {
    const page = await web.signedIn({ locale: 'en', path: '/projects/prj_welcome' });
    const avatar = page.locator('[data-testid^="agent-avatar-"]').first();
    await avatar.click();
    await page.waitForURL(/\?agent=agt_/);
    const panel = page.getByTestId('chat-panel');
    await panel.waitFor();
    // The composer takes the focus when it appears; only then can the test move the focus.
    await page.getByTestId('chat-input').and(page.locator(':focus')).waitFor();
    const separator = page.getByRole('separator');
    await separator.focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.reload();
    await expect.poll(async () => (await panel.boundingBox())?.width).toBe(376 + 32);
    // The composer comes after the listeners of the panel.
    await page.getByTestId('chat-input').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await expect.poll(() => new URL(page.url()).search).toBe('');
    await page.goBack();
    await panel.waitFor();
  });

  test('at 360 px the chat is the whole screen, and × closes it', async () => {
    const page = await web.signedIn({ locale: 'ja', width: 360, path: '/projects/prj_welcome' });
    await page.locator('[data-testid^="agent-avatar-"]').first().tap();
    const panel = page.getByTestId('chat-panel');
    await panel.waitFor();
    await expect.poll(() => panel.boundingBox()).toMatchObject({ x: 0, y: 0, width: 360, height: 780 });
    await page.getByTestId('chat-close').tap();
    await panel.waitFor({ state: 'detached' });
  });

  test('language and theme change in place, and are stored', async () => {
    const page = await web.signedIn({ locale: 'ja', path: '/projects/prj_welcome' });
    await page.getByRole('link', { name: 'ボード' }).waitFor();
    await page.getByTestId('language-switch').click();
    await page.getByRole('link', { name: 'Board' }).waitFor();
    await page.getByTestId('theme-switch').click();
    await page.reload();
    await page.getByRole('link', { name: 'Board' }).waitFor();
    await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark');
    await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('en');
  });
});
