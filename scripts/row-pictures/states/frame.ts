import type { Row } from '../row.ts';
import { assert, type Scene } from '../scene.ts';

/** What is around every page: strip, focus, narrow and zoomed windows, search and keys. */
export const FRAME_ROWS: readonly Row[] = [
  {
    id: '11',
    promise: 'Space is reserved: nothing jumps when the connection is lost; what one looks at is read.',
    states: [{ name: 'strip', show: showStrip }],
  },
  {
    id: '14',
    promise: 'Tab begins at the top; avatars and tabs are one stop each.',
    states: [
      { name: 'skip', show: showSkip },
      { name: 'avatars', show: showAvatars },
    ],
  },
  {
    id: '15',
    promise: 'At 360 px the strip in Runs wraps; at 200 % zoom dialogs keep their buttons in view.',
    states: [
      { name: 'runs', show: showRuns },
      { name: 'longest-dialog', show: showLongestDialog },
    ],
  },
  {
    id: '16',
    promise: 'Cmd+K has actions and finds everything everywhere; “?” shows a sheet of keys.',
    states: [
      { name: 'commands', show: showCommands },
      { name: 'outside', show: showOutside },
      { name: 'keys', show: showKeys },
    ],
  },
];

async function showStrip(scene: Scene): Promise<void> {
  const { page } = scene;
  await page.routeWebSocket('**/api/ws', (socket) => void socket.close({ code: 1011 }));
  await scene.open('/projects/prj_welcome');
  await page.getByText(scene.say('サーバーとの接続が切れました', 'Connection to the server lost')).waitFor();
  await page.locator('[data-testid^="task-card-"]').first().waitFor({ state: 'attached' });
}

async function openWelcome(scene: Scene): Promise<void> {
  await scene.open('/projects/prj_welcome');
  await scene.page.locator('[data-testid^="agent-avatar-"]').first().waitFor();
}

async function showSkip(scene: Scene): Promise<void> {
  await openWelcome(scene);
  await scene.page.keyboard.press('Tab');
  const skip = scene.page.getByRole('link', { name: scene.say('本文へ移動', 'Skip to content') });
  await skip.and(scene.page.locator(':focus')).waitFor();
}

async function showAvatars(scene: Scene): Promise<void> {
  await openWelcome(scene);
  const avatars = scene.page.locator('[data-testid^="agent-avatar-"]');
  await avatars.first().focus();
  await scene.page.keyboard.press('ArrowRight');
  await avatars.nth(1).and(scene.page.locator(':focus')).waitFor();
}

async function showRuns(scene: Scene): Promise<void> {
  const name = scene.say('長い名前の回帰テスト担当エージェント', 'Regression Test Analysis Worker');
  const agent = { name, provider: 'command', command: { file: '/opt/not/there', args: [] } };
  const world = await scene.newWorld('runs', agent, scene.say('家計簿 API', 'Ledger API'));
  await world.post(scene.say('こんにちは', 'Hello'));
  await scene.open(`/projects/${world.project.id}/runs`);
  await scene.page.locator('[data-state="could_not_start"]').first().waitFor();
}

async function showLongestDialog(scene: Scene): Promise<void> {
  const project = await scene.newProject(scene.say('家計簿 API', 'Ledger API'));
  await scene.open(`/projects/${project.id}?add=agent`);
  await scene.at('agent-provider-acp').check();
  await scene.at('agent-more').locator('summary').click();
  await scene.at('agent-id').waitFor();
  const save = scene.at('agent-save');
  await save.waitFor();
  const isInView = await save.evaluate((button) => {
    const { left, top, width, height } = button.getBoundingClientRect();
    return button.contains(button.ownerDocument.elementFromPoint(left + width / 2, top + height / 2));
  });
  assert(isInView, 'The button that saves is out of the window.');
}

async function openCommands(scene: Scene, path: string): Promise<void> {
  await scene.open(path);
  await scene.page.getByRole('main').first().waitFor();
  await scene.page.keyboard.press('Control+k');
  await scene.at('command-menu').getByRole('combobox').and(scene.page.locator(':focus')).waitFor();
}

async function showCommands(scene: Scene): Promise<void> {
  await openCommands(scene, '/projects/prj_welcome');
  await scene.at('command-menu').getByRole('option').nth(5).waitFor();
}

async function showOutside(scene: Scene): Promise<void> {
  await openCommands(scene, '/inbox');
  await scene.page.keyboard.type('agt_welcome');
  const name = scene.say('しるべ', 'Beacon');
  await scene.at('command-menu').getByRole('option', { name }).waitFor();
}

async function showKeys(scene: Scene): Promise<void> {
  await openWelcome(scene);
  await scene.page.keyboard.press('?');
  await scene.at('key-sheet').waitFor();
}
