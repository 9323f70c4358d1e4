import type { Project } from '@aizuchi/shared/contract/project';
import type { CreateTaskBody } from '@aizuchi/shared/contract/task';
import type { Row } from '../row.ts';
import { assert, type Scene } from '../scene.ts';

export const BOARD_ROWS: readonly Row[] = [
  {
    id: '13',
    promise: 'A move that is not allowed is explained; order by drag; filters.',
    states: [
      { name: 'board', show: openBoard },
      { name: 'move', show: showMove },
      { name: 'filter', show: showFilter },
      { name: 'chat-beside', show: showChatBeside },
    ],
  },
];

const TASKS: readonly (readonly [CreateTaskBody['status'], CreateTaskBody['priority'], string, string])[] = [
  ['backlog', 'low', 'CSV 取り込みの文字コードを自動で判定する', 'Detect the encoding of imported CSV files'],
  ['backlog', 'medium', '為替レートを日次で取り込む', 'Import exchange rates every day'],
  ['todo', 'high', '月次集計 API にページングを付ける', 'Paginate the monthly totals'],
  ['in_progress', 'urgent', '回帰テストの失敗 3 件を直す', 'Fix three failing regression tests'],
  ['blocked', 'high', '決済 Webhook の署名検証', 'Verify the webhook signature'],
  ['done', 'medium', '口座の重複登録を防ぐ', 'Refuse an account that is there already'],
];

async function openBoard(scene: Scene): Promise<void> {
  const { id } = await scene.stage.once('board', () => newBoard(scene));
  await scene.open(`/projects/${id}`);
  await scene.page
    .locator('[data-testid^="task-card-"]')
    .nth(TASKS.length - 1)
    .waitFor({ state: 'attached' });
  await scene.at('task-new').waitFor();
}

async function newBoard(scene: Scene): Promise<Project> {
  const name = scene.say('しるべ', 'Beacon');
  const { project, agentId } = await scene.newWorld('board', { name }, scene.say('家計簿 API', 'Ledger API'));
  for (const [index, [status, priority, ja, en]] of TASKS.entries())
    await scene.newTask(project, {
      status,
      priority,
      title: scene.say(ja, en),
      // Work in progress would change the pictures while they are taken.
      ...(status !== 'in_progress' && { assigneeId: index % 2 === 0 ? agentId : 'owner' }),
      ...(index === 0 && { labels: ['import'], dueDate: '2030-01-31' }),
    });
  return project;
}

async function showMove(scene: Scene): Promise<void> {
  await openBoard(scene);
  const [, , ja, en] = TASKS[0] ?? TASKS[1] ?? [];
  const title = scene.say(ja ?? '', en ?? '');
  const name = scene.say(`「${title}」を移動`, `Move “${title}”`);
  await scene.page.getByRole('button', { name }).click();
  await scene.page.getByRole('menuitem', { disabled: true }).first().waitFor();
  await scene.at('move-to-done').waitFor();
}

async function showFilter(scene: Scene): Promise<void> {
  await openBoard(scene);
  await scene.at('task-filter-open').click();
  await scene.at('filter-mine').click();
  await scene.at('filter-clear').waitFor();
  await scene.page
    .locator('[data-testid^="task-card-"]')
    .nth(TASKS.length - 1)
    .waitFor({ state: 'detached' });
}

/** The chat takes its width from the board; the first column stays in view. */
async function showChatBeside(scene: Scene): Promise<void> {
  await openBoard(scene);
  await scene.page.locator('[data-testid^="agent-avatar-"]').first().click();
  await scene.at('chat-panel').waitFor();
  await scene.chat.sendButton.filter({ hasText: scene.say('送信', 'Send') }).waitFor();
  const first = await scene.at('column-backlog').boundingBox();
  assert((first?.x ?? -1) >= 0, 'The first column is out of view.');
}
