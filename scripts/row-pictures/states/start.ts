import { WELCOME_TEXTS } from '@aizuchi/shared/platform/texts/welcome-texts';
import type { Row } from '../row.ts';
import { assert, type Scene } from '../scene.ts';

/** The first minute, a new person, and what people expect of every page. */
export const START_ROWS: readonly Row[] = [
  {
    id: '01',
    promise:
      'The host’s or the first sign-in’s language; texts of the system in each reader’s language everywhere.',
    states: [
      { name: 'welcome', show: showWelcome },
      { name: 'reason', show: showReason },
    ],
  },
  {
    id: '18',
    promise: 'A new person gets an invite link (once, 24 h).',
    states: [{ name: 'invite', show: showInvite }],
  },
  {
    id: '19',
    promise:
      'Project settings have Delete; the tab has a title; a built-in run has a log; an empty chat has starters.',
    states: [
      { name: 'delete', show: showDelete },
      { name: 'starters', show: showStarters },
      { name: 'log', show: showLog },
    ],
  },
];

async function showWelcome(scene: Scene): Promise<void> {
  const { page, language } = scene;
  const { project, guide, helper, tasks } = WELCOME_TEXTS[language];
  await scene.open('/projects/prj_welcome');
  for (const { title } of tasks) await page.getByRole('link', { name: title, exact: true }).waitFor();
  for (const { name } of [guide, helper])
    await page.locator(`[data-testid^="agent-avatar-"][aria-label*="${name}"]`).waitFor();
  await page.getByText(project.name, { exact: true }).first().waitFor();
}

async function showReason(scene: Scene): Promise<void> {
  const world = await scene.newWorld(
    'missing',
    {
      name: scene.say('資料担当', 'Docs Writer'),
      provider: 'command',
      command: { file: '/opt/not/there', args: [] },
    },
    scene.say('家計簿 API', 'Ledger API'),
  );
  await scene.open(world.path);
  await scene.chat.input.fill(scene.say('仕様書の章立てを作ってください', 'Please outline the manual'));
  await scene.chat.sendButton.click();
  const reason = scene.say(
    'コマンド /opt/not/there が見つかりません。',
    'The command /opt/not/there was not found.',
  );
  await scene.at('chat-panel').getByText(reason).first().waitFor();
}

async function showInvite(scene: Scene): Promise<void> {
  await scene.open('/settings/people');
  await scene.at('person-new').click();
  await scene.at('person-name').fill(scene.say('森 かな', 'Kana Mori'));
  await scene.at('person-id').fill(scene.stage.fresh('mori'));
  await scene.at('person-save').click();
  await scene.at('invite-once').getByText(`${scene.stage.url}/`).waitFor();
}

async function showDelete(scene: Scene): Promise<void> {
  const project = await scene.newProject(scene.say('試作', 'Prototype'));
  await scene.open(`/projects/${project.id}/settings`);
  await scene.at('project-delete').click();
  const question = scene.page.getByRole('alertdialog').or(scene.page.getByRole('dialog'));
  await question.getByText(project.workingDirectory ?? '').waitFor();
}

async function showStarters(scene: Scene): Promise<void> {
  const name = scene.say('試作', 'Prototype');
  const world = await scene.newWorld('starters', { name: scene.say('しるべ', 'Beacon') }, name);
  await scene.untilReady(world);
  await scene.page.locator('[data-testid^=chat-starter-]').nth(2).waitFor();
  const title = await scene.page.title();
  assert(title.includes(name), `The tab is called ${title}.`);
}

async function showLog(scene: Scene): Promise<void> {
  const name = scene.say('しるべ', 'Beacon');
  const world = await scene.newWorld('log', { name }, scene.say('試作', 'Prototype'));
  const chat = await scene.untilReady(world);
  await chat.say(scene.say('タスクの進捗を教えてください', 'How are the tasks going?'));
  await scene.untilAnswers(1);
  await scene.open(`/projects/${world.project.id}/runs`);
  await scene.page
    .getByRole('link', { name: scene.say('ログ', 'Log') })
    .first()
    .click();
  await scene.at('run-log').locator('[data-index]').first().waitFor();
}
