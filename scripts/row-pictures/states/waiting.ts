import { FREE, ONE } from '../../../tests/e2e/web/support/ask.ts';
import type { Row } from '../row.ts';
import { assert, type Scene, unread } from '../scene.ts';
import type { Person } from '../stage.ts';

/** What waits for a person, and what failed. */
export const WAITING_ROWS: readonly Row[] = [
  {
    id: '04',
    promise: 'Questions first by deadline, one row per incident, dismiss, snooze, “done” by key.',
    states: [
      { name: 'inbox', show: openInbox },
      { name: 'snooze', show: showSnooze },
      { name: 'put-away', show: showPutAway },
    ],
  },
  {
    id: '05',
    promise: 'A failure shows the lines that matter, a link, the true headline.',
    states: [
      { name: 'chat', show: openFailure },
      { name: 'log', show: showFailedLog },
    ],
  },
];

const SAID = ['Error: no model is configured', '    at start (main.js:7:11)', 'Node.js v24.21.0'];
const LOUD = {
  provider: 'command',
  command: {
    file: 'node',
    args: ['-e', `for (const line of ${JSON.stringify(SAID)}) console.error(line); process.exitCode = 3;`],
  },
};

/** A member in whose inbox a question, a failure and a blocked task wait. */
async function newWaiting(scene: Scene): Promise<Person> {
  const { owner } = scene.stage;
  const scripted = await scene.newScript('inbox', 'Backend Worker', scene.say('家計簿 API', 'Ledger API'));
  const { project } = scripted.world;
  const id = scene.stage.fresh('inbox_loud');
  const loud = { id: `agt_${id}`, name: scene.say('資料担当', 'Docs Writer'), type: 'ai', ...LOUD };
  await owner.call(unread, 'POST', '/agents', loud);
  await scene.join(project.id, loud.id);
  const title = scene.say('決済 Webhook の署名検証', 'Verify the webhook signature');
  await scene.newTask(project, { title, status: 'blocked' });
  const loudChat = `/projects/${project.id}/agents/${loud.id}/chat/messages`;
  for (const content of [scene.say('章立てを作って', 'Outline it'), scene.say('急ぎです', 'It is urgent')])
    await owner.call(unread, 'POST', loudChat, { content });
  await scripted.put('ask.json', JSON.stringify([scene.say(FREE, ONE)]));
  await scripted.world.post(scene.say('端数をそろえてください', 'Build the signature check'));
  return scene.newMember(project, scene.say('森 かな', 'Kana Mori'));
}

async function openInbox(scene: Scene): Promise<void> {
  await scene.signInAs(await scene.stage.once('inbox', () => newWaiting(scene)));
  await scene.open('/inbox');
  const rows = scene.page.locator('article[data-kind]');
  await scene.page
    .locator('article[data-kind="failed_run"], article[data-kind="failed_message"]')
    .first()
    .waitFor();
  await scene.page.locator('article[data-kind="blocked_task"]').waitFor();
  await scene.page.locator('article[data-kind="question"]').waitFor();
  await scene.page.locator('[data-testid="question-card"][data-status="pending"]').waitFor();
  const kinds = await rows.evaluateAll((all) => all.map((one) => one.getAttribute('data-kind')));
  assert(kinds[0] === 'question', `The first row is ${kinds[0]}.`);
  const failures = kinds.filter((kind) => kind?.startsWith('failed_'));
  assert(failures.length === 1, `One incident makes ${failures.length} rows.`);
}

async function showSnooze(scene: Scene): Promise<void> {
  await openInbox(scene);
  const row = scene.page.locator('article[data-kind="blocked_task"]');
  await row.getByTestId('inbox-snooze').click();
  await scene.at('inbox-snooze-hour').waitFor();
}

async function showPutAway(scene: Scene): Promise<void> {
  const project = await scene.newProject(scene.say('家計簿 API', 'Ledger API'));
  const title = scene.say('決済 Webhook の署名検証', 'Verify the webhook signature');
  const task = await scene.newTask(project, { title, status: 'blocked' });
  await scene.signInAs(await scene.newMember(project, scene.say('森 かな', 'Kana Mori')));
  await scene.open('/inbox');
  await scene.at(`inbox-item-${task.id}`).focus();
  await scene.page.keyboard.press('e');
  await scene.at(`inbox-item-${task.id}`).waitFor({ state: 'detached' });
  const name = scene.say('片付けたもの', 'Put away');
  await scene.page.getByRole('navigation').getByRole('link', { name }).click();
  await scene.at(`put-away-${task.id}`).waitFor();
}

async function openFailure(scene: Scene): Promise<void> {
  const agent = { name: scene.say('資料担当', 'Docs Writer'), ...LOUD };
  const world = await scene.newWorld('loud', agent, scene.say('家計簿 API', 'Ledger API'));
  await scene.open(world.path);
  await scene.chat.input.fill(scene.say('仕様書の章立てを作ってください', 'Please outline the manual'));
  await scene.chat.sendButton.click();
  const failed = scene.page.locator('[data-sender=system]').filter({ has: scene.at('system-open-runs') });
  await failed
    .locator('code')
    .filter({ hasText: SAID[0] ?? '' })
    .first()
    .waitFor();
  await failed
    .locator('code')
    .filter({ hasText: SAID[2] ?? '' })
    .first()
    .waitFor();
}

async function showFailedLog(scene: Scene): Promise<void> {
  await openFailure(scene);
  await scene.at('system-open-runs').first().click();
  await scene.page.locator('[data-state="crashed"]').first().waitFor();
}
