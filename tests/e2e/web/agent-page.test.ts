import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { agentSchema } from '@aizuchi/shared/contract/agent';
import { membershipSchema, projectSchema } from '@aizuchi/shared/contract/project';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { expectNoViolations } from './support/axe.ts';
import { COORDINATOR_TOKEN, PlayedCoordinator } from './support/hand-played.ts';
import { expectGoodLook, LOOKS } from './support/look.ts';
import { screenshot } from './support/screenshot.ts';
import type { TurnAct } from './support/scripted-turn.ts';
import { ScriptedChat } from './support/scripted-world.ts';
import { useOwnWeb, useWeb } from './support/web.ts';

const web = useWeb();

const TALL = { 1440: 1_500, 360: 2_700 } as const;
const USAGE = { input_tokens: 41_300, output_tokens: 9_900, cost_usd: 0.42, duration_ms: 6_400 };

const newAgent = (body: Record<string, unknown>) =>
  web.owner.call(agentSchema, 'POST', '/agents', { type: 'ai', ...body });
const NOT_FOUND = {
  en: 'The command /opt/not/there was not found.',
  ja: 'コマンド /opt/not/there が見つかりません。',
};
const readAgent = (id: string) => web.owner.call(agentSchema, 'GET', `/agents/${id}`);
const join = (aid: string, pid = 'prj_welcome') =>
  web.owner.call(membershipSchema, 'PUT', `/projects/${pid}/agents/${aid}`);
const step = (page: Page, name: string, state: string) =>
  page.locator(`[data-testid=hello-${name}][data-state=${state}]`);
/** Nothing of the form differs from what is stored. One that is still saving takes no second change. */
const saved = (page: Page, form: string) =>
  page.locator(`[data-testid=${form}-save][aria-disabled=true]:not([aria-busy])`).waitFor();
const isOver = (page: Page) => page.locator('[data-testid=hello][data-over=true]').waitFor();

/** An agent that answers with this text, and says what it cost. */
async function makeScripted(name: string, agentName: string, answer: string): Promise<ScriptedChat> {
  return makePlaying(name, agentName, [{ text: answer }, { answer, model: 'scripted-1', usage: USAGE }]);
}

async function makePlaying(name: string, agentName: string, turn: readonly TurnAct[]): Promise<ScriptedChat> {
  const chat = await ScriptedChat.make(web, name, agentName);
  await chat.put('turn.json', JSON.stringify(turn));
  return chat;
}

test.each(LOOKS)('the page, before and after a test that succeeds, in $locale, $width px', async (look) => {
  const suffix = `${look.locale}-${look.width}`;
  const word = look.locale === 'ja' ? 'あいづち' : 'Aizuchi';
  const { world } = await makeScripted(`hello_${look.locale}`, `Reviewer ${look.locale}`, `${word}.`);
  await web.owner.call(agentSchema, 'PATCH', `/agents/${world.agentId}`, {
    role: 'review',
    labels: ['gpu'],
    systemPrompt: 'Read the diff. Name five points at most, those that break something first.',
    dailyTokenLimit: 400_000,
  });
  const page = await web.signedIn({ ...look, height: TALL[look.width], path: `/agents/${world.agentId}` });
  await page.getByTestId('agent-today').waitFor();
  await page.getByTestId('hello-start').waitFor();
  await page.getByTestId('hello-start').click();
  await isOver(page);
  for (const name of ['place', 'process', 'sign_in', 'delivered', 'first_text', 'answered'])
    await step(page, name, 'done').waitFor();
  await expect.poll(() => page.getByTestId('hello-answer').textContent()).toContain(word);
  await expect.poll(() => page.getByTestId('hello-suspect').count()).toBe(0);
  // Everybody in the chat sees that it was a test.
  expect((await world.contents())[0]).toMatch(/^(【接続テスト】|\[Connection test\])/);
  // The sums are polled.
  await page.getByTestId('usage-scripted-1').getByText('41.3k').waitFor();
  await page.getByTestId('agent-today').getByText('51.2k').waitFor();
  await page.locator('[data-testid^=agent-run-run_]').waitFor();
  await page
    .getByTestId('agent-run-place')
    .getByText(/ \d+ MiB/)
    .waitFor();
  await expectGoodLook(page, `agent-page-said-hello-${suffix}`);
  await page.getByTestId('hello-chat').click();
  await page.getByTestId('chat-panel').waitFor();
  await page.goto(`/projects/${world.project.id}/usage`);
  await page.getByTestId(`usage-${world.agentId}`).getByText('$0.42').waitFor();
  await page.getByTestId('usage-range').selectOption('7');
  await page.getByTestId('usage-scripted-1').waitFor();
  await expectGoodLook(page, `usage-${suffix}`);
});

test('a test goes on in the project in which it began, also when another one becomes known meanwhile', async () => {
  const { id } = await newAgent({ name: 'Twofold' });
  const { id: own } = await web.owner.call(projectSchema, 'POST', '/projects', { name: 'Second place' });
  await join(id);
  await join(id, own);
  const page = await web.signedIn({ locale: 'en' });
  const { promise: isHeld, resolve: letThrough } = Promise.withResolvers<void>();
  await page.route(/\/api\/projects\/prj_welcome\/agents\?/, async (route) => {
    await isHeld;
    await route.continue();
  });
  await page.goto(`/agents/${id}`);
  await page.getByTestId('hello-start').click();
  await isOver(page);
  letThrough();
  await page.getByTestId('agent-in-prj_welcome').waitFor();
  await isOver(page);
  await expect.poll(() => page.getByTestId('hello-project').inputValue()).toBe(own);
});

test('the chat shows the last lines of a program that ends at once, not only the last one', async () => {
  const said = ['Error: no model', '    at start (main.js:7)', 'Node.js v24'];
  const script = `for (const line of ${JSON.stringify(said)}) console.error(line); process.exitCode = 3;`;
  const agent = await newAgent({
    name: 'Loud',
    provider: 'command',
    command: { file: 'node', args: ['-e', script] },
  });
  await join(agent.id);
  const page = await web.signedIn({
    locale: 'ja',
    width: 360,
    path: `/projects/prj_welcome?agent=${agent.id}`,
  });
  await page.getByTestId('chat-input').fill('hi');
  await page.getByTestId('chat-send-button').click();
  const lines = page.locator('[data-sender=system] code');
  await expect.poll(() => lines.allTextContents()).toEqual([said.join('\n')]);
  await expectGoodLook(page, 'chat-last-lines-ja-360');
  // On a phone the chat would lie over the page that it leads to.
  await page.getByTestId('system-open-runs').click();
  await page.waitForURL('**/runs?*');
  await page.getByTestId('chat-panel').waitFor({ state: 'detached' });
  await page
    .getByText(said[0] ?? '')
    .first()
    .waitFor();
});

describe('a test that does not succeed', () => {
  test('says where it failed and what to do', async () => {
    const agent = await newAgent({
      name: 'Missing',
      provider: 'command',
      command: { file: '/opt/not/there', args: [] },
    });
    await join(agent.id);
    const page = await web.signedIn({ locale: 'en', width: 360, path: `/agents/${agent.id}` });
    await page.getByTestId('hello-start').click();
    await isOver(page);
    await page.getByTestId('hello-fault').getByText('/opt/not/there').waitFor();
    await step(page, 'process', 'failed').waitFor();
    await step(page, 'answered', 'open').waitFor();
    await page.locator('[data-testid=agent-state][data-state=failed]').waitFor();
    await expectNoViolations(page);
    for (const locale of ['en', 'ja'] as const) {
      const other = await web.signedIn({ locale, width: 360, path: `/agents/${agent.id}` });
      const state = other.locator('[data-testid^=agent-run-] [data-state=could_not_start]').first();
      await state.waitFor();
      await state.scrollIntoViewIfNeeded();
      // Its text does not run over what stands beside it.
      await expect.poll(() => state.evaluate((span) => span.scrollWidth - span.clientWidth)).toBe(0);
      await screenshot(other, `agent-page-runs-${locale}-360`);
      // Each reads the reason in its language: in the chat, with the run and in the inbox.
      const sentence = NOT_FOUND[locale];
      await other.goto(`/projects/prj_welcome?agent=${agent.id}`);
      await other.getByTestId('chat-panel').getByText(sentence).first().waitFor();
      await screenshot(other, `reason-chat-${locale}-360`);
      await other.goto(`/projects/prj_welcome/runs?by=${agent.id}`);
      await other.getByText(sentence).first().waitFor();
      await screenshot(other, `reason-runs-${locale}-360`);
      await other.goto('/inbox');
      await other.getByText(sentence).first().waitFor();
      await screenshot(other, `reason-inbox-${locale}-360`);
      // The first page says what happens now, in all projects.
      await other.goto('/projects');
      await other.locator(`[data-testid=now-${agent.id}][data-state=failed]`).waitFor();
      await expectGoodLook(other, `now-${locale}-360`);
    }
    // There is no Coordinator with containers here.
    await web.owner.call(agentSchema, 'PATCH', `/agents/${agent.id}`, { executor: 'docker' });
    await page.getByTestId('hello-start').click();
    await page.getByTestId('hello-fault').getByText('AIZUCHI_EXECUTOR=docker').waitFor();
    await screenshot(page, 'agent-page-needs-container-en-360');
  });

  test('whose turn came to no answer says why', async () => {
    const reason = 'The model is overloaded. Send the message again in some minutes.';
    const { world } = await makePlaying('hello_failed', 'Overloaded', [{ failure: reason }]);
    const page = await web.signedIn({ locale: 'en', path: `/agents/${world.agentId}` });
    await page.getByTestId('hello-start').click();
    await isOver(page);
    await page.getByTestId('hello-fault').getByText(reason).waitFor();
    await step(page, 'delivered', 'done').waitFor();
    await step(page, 'answered', 'open').waitFor();
  });

  test('an answer without the word is shown as what it may be: a fault that the driver describes', async () => {
    const { world } = await makeScripted('hello_fault', 'Faulty', 'The model cannot be reached.');
    const page = await web.signedIn({ locale: 'en', path: `/agents/${world.agentId}` });
    await page.getByTestId('hello-start').click();
    await isOver(page);
    await page.getByTestId('hello-suspect').waitFor();
  });
});

describe('Claude Code on the hosts', () => {
  // The test acts as the Coordinator: what this host has does not count.
  const played = useOwnWeb({
    AIZUCHI_SERVICES: 'rest-api,mcp-server',
    MCP_COORDINATOR_TOKEN: COORDINATOR_TOKEN,
  });
  const FOUND = { id: 'claude', state: 'found', version: '2.1.340', signIn: 'claude auth login' } as const;
  const MISSING = [
    [{ id: 'claude', state: 'not_found' }, 'not_found', 'npm run add-claude'],
    [{ id: 'claude', state: 'too_old', version: '2.0.1', needs: '2.1.330' }, 'too_old', 'npm run add-claude'],
    [{ ...FOUND, isSignedIn: false }, 'sign_in_missing', 'claude auth login'],
  ] as const;

  test.each(LOOKS)('what is to be done is said at once, in $locale, $width px', async (look) => {
    const host = new PlayedCoordinator(played, 'mac-studio');
    try {
      await host.beat(0);
      host.stayAlive();
      const agent = await played.owner.call(agentSchema, 'POST', '/agents', {
        type: 'ai',
        name: 'Claude',
        provider: 'claude',
      });
      const path = `/agents/${agent.id}`;
      await host.reportPrograms([MISSING[0][0]]);
      const page = await played.signedIn({ ...look, height: TALL[look.width], path });
      const remedy = page.getByTestId('agent-claude-remedy');
      for (const [program, fitness, command] of MISSING) {
        await host.reportPrograms([program]);
        if (fitness !== 'not_found') await remedy.getByTestId('programs-look').click();
        await remedy.locator(`[data-program=${fitness}]`).waitFor();
        await remedy.getByTestId('program-command').getByText(command).waitFor();
        await expectGoodLook(page, `agent-page-claude-${fitness}-${look.locale}-${look.width}`);
      }
      await host.reportPrograms([{ ...FOUND, isSignedIn: true }]);
      await remedy.getByTestId('programs-look').click();
      await remedy.waitFor({ state: 'detached' });
    } finally {
      await host.close();
    }
  });
});

describe('the set-up', () => {
  test('is saved part by part, and a running agent can be restarted with a new prompt', async () => {
    const agent = await newAgent({ name: 'Warm' });
    await join(agent.id);
    const chat = `/projects/prj_welcome/agents/${agent.id}/chat`;
    await web.owner.call(z.unknown(), 'POST', `${chat}/start`, { viewerId: 'test-viewer' });
    const page = await web.signedIn({ locale: 'en', path: `/agents/${agent.id}` });
    const state = (is: string) => page.locator(`[data-testid=agent-in-prj_welcome][data-state=${is}]`);
    await state('ready').waitFor();

    await page.getByTestId('agent-change-provider').click();
    await page.getByTestId('agent-provider-command').check();
    await page.getByTestId('agent-file').waitFor();
    await page.getByTestId('agent-provider-builtin').check();

    await page.getByTestId('agent-daily-tokens').fill('many');
    await page.getByText('Enter a whole number from 0').waitFor();
    await page.getByTestId('agent-daily-tokens').fill('400,000');
    await page.getByTestId('agent-parallel').fill('2');
    await page.getByTestId('agent-set-limits-save').click();
    await page.getByTestId('agent-today').waitFor();
    await expect
      .poll(() => readAgent(agent.id))
      .toMatchObject({ dailyTokenLimit: 400_000, maxParallelTasks: 2 });
    await page.getByTestId('agent-box-memoryMb').fill('63');
    await page.getByText('Enter a whole number from 64 to 1,048,576').waitFor();
    await page.getByTestId('agent-box-memoryMb').fill('2,048');
    await page.getByTestId('agent-box-cpus').fill('2');
    await page.getByTestId('agent-box-executor').selectOption('docker');
    await page.getByTestId('agent-box-image').fill('My Image');
    await page.getByText('This is not the name of an image.').waitFor();
    await page.getByTestId('agent-box-image').fill(' ghcr.io/me/runner:1.2 ');
    await page.getByTestId('agent-set-box-save').click();
    await expect.poll(async () => (await readAgent(agent.id)).executor).toBe('docker');
    await saved(page, 'agent-set-box');
    // Here agents are processes of the host.
    await page.getByTestId('agent-box-executor').selectOption('any');
    await page.getByTestId('agent-set-box-save').click();
    await expect.poll(async () => (await readAgent(agent.id)).executor).toBe('any');
    expect(await readAgent(agent.id)).toMatchObject({
      limits: { memoryMb: 2_048, cpus: 2 },
      image: 'ghcr.io/me/runner:1.2',
    });
    await page.getByTestId('agent-restart-note').waitFor();
    // Known to the server: who comes later sees it, too.
    await page.reload();
    await page.getByTestId('agent-restart-note').waitFor();
    await page.getByTestId('agent-restart').click();
    await page.getByTestId('agent-restart-note').waitFor({ state: 'detached' });
    await state('ready').waitFor();
    await page.getByTestId('agent-labels').fill('gpu, linux');
    await page.getByTestId('agent-set-facts-save').click();
    await expect.poll(async () => (await readAgent(agent.id)).labels).toEqual(['gpu', 'linux']);
    await expect.poll(() => page.getByTestId('agent-restart-note').count()).toBe(0);

    await page.getByTestId('agent-prompt').fill('Be brief.');
    await page.getByTestId('agent-set-prompt-save').click();
    await page.getByTestId('agent-restart-note').waitFor();
    await expectNoViolations(page);
    await page.getByTestId('agent-restart').click();
    await page.getByTestId('agent-restart-note').waitFor({ state: 'detached' });
    await state('ready').waitFor();
    expect(await readAgent(agent.id)).toMatchObject({ systemPrompt: 'Be brief.', dailyTokenLimit: 400_000 });
  });

  test('the model is chosen from what its address offers, or typed where it offers nothing', async () => {
    const data = ['llama3.2', 'qwen3:8b', 'qwen3:32b'].map((id) => ({ id }));
    const server = createServer((_request, response) => response.end(JSON.stringify({ data })));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const agent = await newAgent({ name: 'Local', provider: 'openai', model: 'gone', baseUrl });
    const page = await web.signedIn({ locale: 'en', path: `/agents/${agent.id}` });
    await page.getByTestId('agent-model').fill('qwen');
    const models = page.getByTestId('agent-models').getByRole('radio');
    await expect.poll(() => models.count()).toBe(2);
    await expectNoViolations(page);
    await models.nth(1).click();
    await page.getByTestId('agent-set-up-save').click();
    await expect.poll(async () => (await readAgent(agent.id)).model).toBe('qwen3:8b');
    await saved(page, 'agent-set-up');
    server.closeAllConnections();
    server.close();
    await page.getByTestId('agent-models-ask').click();
    await page.getByTestId('agent-models-problem').getByText('cannot reach').waitFor();
    await page.getByTestId('agent-model').fill('typed');
    await page.getByTestId('agent-key-variable').fill('AIZUCHI_PROVIDER_KEY');
    await page.getByTestId('agent-set-up-save').click();
    await expect
      .poll(() => readAgent(agent.id))
      .toMatchObject({ model: 'typed', baseUrl, apiKeyEnv: 'AIZUCHI_PROVIDER_KEY' });
  });

  test('is for owners: a member sees the evidence', async () => {
    const person = { id: 'abe', passkey: 'abe-has-a-passkey' };
    await web.owner.call(z.unknown(), 'POST', '/agents', { id: person.id, type: 'human', name: 'Abe' });
    await web.owner.call(z.unknown(), 'POST', `/agents/${person.id}/passkey`, { passkey: person.passkey });
    await join(person.id);
    const page = await web.signedIn({ locale: 'en', as: person, path: '/agents/agt_welcome_guide' });
    await page.getByTestId('hello-start').waitFor();
    await page.getByTestId('agent-in-prj_welcome').waitFor();
    await expect.poll(() => page.locator('form').count()).toBe(0);
    await expect.poll(() => page.getByTestId('agent-menu').count()).toBe(0);
    await expectNoViolations(page);
  });
});
