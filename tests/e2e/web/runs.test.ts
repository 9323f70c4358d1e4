import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runPageSchema } from '@aizuchi/shared/contract/run';
import { expect, test } from 'vitest';
import { expectNoViolations } from './support/axe.ts';
import { ChatWorld } from './support/chat-world.ts';
import { screenshot } from './support/screenshot.ts';
import { useWeb } from './support/web.ts';

const web = useWeb();

const runsOf = async (projectId: string) =>
  (await web.owner.call(runPageSchema, 'GET', `/projects/${projectId}/runs`)).runs;

test('a run is listed, its log is read and searched while it grows, and the run is stopped', async () => {
  const world = await ChatWorld.make(web, 'prj_runs', { id: 'agt_runs', name: 'Analysis Worker' });
  const page = await web.signedIn({ locale: 'en', path: `/projects/${world.project.id}/runs` });
  await page.getByText('Nothing has run').waitFor();
  await screenshot(page, 'runs-empty-en-light');
  await expectNoViolations(page);

  await world.post('How are the tasks going?');
  await page.locator('[data-state="warm"]').waitFor();
  const [run] = await runsOf(world.project.id);
  const log = join(web.product.environment.AIZUCHI_HOME ?? '', 'logs', 'runs', `${run?.id}.log`);
  const many = Array.from({ length: 3_000 }, (_, line) => `line ${line} of the build\n`).join('');
  await appendFile(log, `${many}\u001b[32m✓\u001b[0m month-end <b>\u001b[31mfailed\u001b[0m</b>\n`);
  await page.getByRole('link', { name: 'Analysis Worker Log' }).click();
  await page
    .getByTestId('run-place')
    .getByText(/^Process on .+ · memory \d+ MiB now, \d+ MiB at most$/)
    .waitFor();
  await page.getByTestId('run-log').getByText('month-end <b>').waitFor();
  await expect.poll(() => page.getByTestId('run-log').locator('[data-index]').count()).toBeLessThan(200);
  await appendFile(log, 'said while it is looked at\n');
  await page.getByTestId('run-log').getByText('said while it is looked at').waitFor();
  await page.getByTestId('run-log-search').fill('LINE 7');
  await page.getByText('1 of 111').waitFor();
  await page.getByTestId('run-log').locator('mark').first().waitFor();
  await page.keyboard.press('Shift+Enter');
  await page.getByText('111 of 111').waitFor();
  await screenshot(page, 'runs-log-en-light');
  await expectNoViolations(page);

  await page.getByTestId('run-log-search').fill('');
  await page.getByTestId('run-stop').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop it' }).click();
  await page.getByTestId('run-outcome').getByText('A person stopped it.').waitFor();
  await page.locator('[data-state="stopped"]').waitFor();
  await page.reload();
  await page.getByTestId('run-outcome').waitFor();
});

test('a failed run shows the reason and its last output, on a phone, in Japanese and dark', async () => {
  const world = await ChatWorld.make(web, 'prj_fails', {
    id: 'agt_fails',
    name: 'レビュー係',
    provider: 'command',
    command: {
      file: '/bin/sh',
      args: [
        '-c',
        'printf "\\033[31mTypeError\\033[0m: no configuration in /etc/agent.toml\\n    at start (agent.mjs:7:11)\\n" >&2; exit 7',
      ],
      mode: 'resident',
    },
  });
  await world.post('こんにちは');
  const failed = async () =>
    (await runsOf(world.project.id)).find(({ exitCause }) => exitCause === 'crashed');
  await expect.poll(failed).toBeDefined();
  const path = `/projects/${world.project.id}/runs`;
  const page = await web.signedIn({ theme: 'dark', path });
  await page.locator('[data-state="crashed"]').first().waitFor();
  await screenshot(page, 'runs-failed-ja-dark');
  await expectNoViolations(page);
  const phone = await web.signedIn({ theme: 'dark', width: 360, path });
  await phone.locator('[data-state="crashed"]').first().waitFor();
  expect((await phone.getByRole('table').boundingBox())?.width).toBeLessThanOrEqual(360);
  await screenshot(phone, 'runs-failed-ja-dark-360');
  await expectNoViolations(phone);
  await phone.goto(`${path}?run=${(await failed())?.id}`);
  await phone.getByTestId('run-outcome').waitFor();
  await screenshot(phone, 'runs-failed-log-ja-dark-360');
  await expectNoViolations(phone);
  // The chat has the line that matters, and a link to the logs.
  await page.goto(`/projects/${world.project.id}?agent=${world.agentId}`);
  const said = page.locator('[data-sender="system"]').first();
  await said.getByText('agent.mjs:7:11').waitFor();
  await screenshot(page, 'chat-gave-up-ja-dark');
  await said.getByTestId('system-open-runs').click();
  await page.locator('[data-state="crashed"]').first().waitFor();
});
