import type { Row } from '../row.ts';
import { assert, type Scene } from '../scene.ts';

/** Adding agents and projects, and what one sees of an agent that works. */
export const AGENT_ROWS: readonly Row[] = [
  {
    id: '06',
    promise: 'Adding an agent is a dialog in place, joined to this project, and ends in its open chat.',
    states: [
      { name: 'dialog', show: showDialog },
      { name: 'greeted', show: showGreeted },
    ],
  },
  {
    id: '07',
    promise: 'A wrong folder: the exact reason, the allowed places, “~” understood, a picker.',
    states: [
      { name: 'refused', show: showRefused },
      { name: 'picker', show: showPicker },
    ],
  },
  {
    id: '08',
    promise: '“Working · 12 s”, Stop (Esc twice), streaming seen.',
    states: [
      { name: 'working', show: showWorking },
      { name: 'streaming', show: showStreaming },
    ],
  },
  {
    id: '10',
    promise: 'A true clock, true names, the language of the sentence.',
    states: [
      { name: 'clock', show: showClock },
      { name: 'help', show: showHelp },
    ],
  },
];

async function openDialog(scene: Scene): Promise<void> {
  const project = await scene.newProject(scene.say('家計簿 API', 'Ledger API'));
  await scene.open(`/projects/${project.id}?add=agent`);
  await scene.at('agent-name').fill(scene.say('公開係', 'Release Helper'));
}

async function showDialog(scene: Scene): Promise<void> {
  await openDialog(scene);
  await scene.at('agent-save').waitFor();
}

async function showGreeted(scene: Scene): Promise<void> {
  await openDialog(scene);
  await scene.at('agent-save').click();
  await scene.at('agent-dialog').waitFor({ state: 'detached' });
  await scene.at('chat-panel').waitFor();
  await scene.untilAnswers(1);
}

async function showRefused(scene: Scene): Promise<void> {
  await scene.open('/projects');
  await scene.at('project-new').click();
  await scene.at('project-name').fill(scene.say('家計簿 API', 'Ledger API'));
  await scene.page.locator('input[name=workingDirectory]').fill('/etc');
  await scene.at('project-save').click();
  const roots = scene.stage.product.environment.AIZUCHI_WORKSPACE_ROOTS ?? '';
  await scene.page.getByRole('alert').getByText(roots).waitFor();
}

async function showPicker(scene: Scene): Promise<void> {
  await scene.open('/projects');
  await scene.at('project-new').click();
  await scene.at('folder-choose').click();
  await scene.at('folder-picker').getByRole('button', { name: 'Aizuchi' }).waitFor();
}

async function showWorking(scene: Scene): Promise<void> {
  const scripted = await scene.newScript('working', 'Backend Worker', scene.say('家計簿 API', 'Ledger API'));
  const chat = await scene.untilReady(scripted.world);
  await scripted.put('hold');
  await chat.say(scene.say('締め日を直してください', 'Fix the closing day'));
  await scene.page
    .locator('[data-testid="chat-status"][data-status="busy"]')
    .filter({ hasText: /\d/ })
    .waitFor();
  await scene.at('chat-stop').waitFor();
  await scene.page
    .locator('[data-testid^="agent-avatar-"][data-state="working"]')
    .first()
    .waitFor({ state: 'attached' });
}

async function showStreaming(scene: Scene): Promise<void> {
  const scripted = await scene.newScript('streams', 'Backend Worker', scene.say('家計簿 API', 'Ledger API'));
  const chat = await scene.untilReady(scripted.world);
  const pieces = [scene.say('締め日は UTC で切れていました。', 'The closing day was cut in UTC. '), '…'];
  await scripted.put('pieces.json', JSON.stringify(pieces));
  await chat.say(scene.say('締め日を直してください', 'Fix the closing day'));
  await scripted.put('piece-0');
  await scene.page.getByText(pieces[0]?.trim() ?? '').waitFor();
  await scene.page.locator('article[aria-busy="true"]').waitFor();
  await scene.at('chat-stop').waitFor();
}

const secondsOf = (text: string | null): number => Number(/([\d.]+)\D*$/.exec(text ?? '')?.[1] ?? Number.NaN);

async function showClock(scene: Scene): Promise<void> {
  const scripted = await scene.newScript('clock', 'Backend Worker', scene.say('家計簿 API', 'Ledger API'));
  await scripted.put('sign-in-hold');
  await scene.open(scripted.world.path);
  const status = scene.page.locator('[data-testid="chat-status"][data-status="starting"]');
  await status.filter({ hasText: /[2-9]/ }).waitFor();
  const before = secondsOf(await status.textContent());
  await scene.page.reload();
  await status.filter({ hasText: /\d/ }).waitFor();
  const after = secondsOf(await status.textContent());
  assert(after >= before, `The clock began anew: ${before} s, then ${after} s.`);
}

async function showHelp(scene: Scene): Promise<void> {
  const name = scene.say('しるべ', 'Beacon');
  const world = await scene.newWorld('help', { name }, scene.say('家計簿 API', 'Ledger API'));
  const chat = await scene.untilReady(world);
  await chat.say(scene.say('Kana Mori さんのために何ができますか？', 'What can you do for 高橋?'));
  await scene.untilAnswers(1);
  const help = (await scene.page.locator('.chat-text').first().textContent()) ?? '';
  assert(scene.say(/できること/, /Here is what I can do/).test(help), `Another language: ${help}`);
  assert(!/Claude|Gemini|Codex|GPT|Worker|Reviewer/.test(help), `Names that are not there: ${help}`);
}
