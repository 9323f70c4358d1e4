import type { Row } from '../row.ts';
import { type Scene, unread } from '../scene.ts';

/** What was missing for daily use. */
export const DAILY_ROWS: readonly Row[] = [
  {
    id: 'd1',
    promise:
      'A permanent switcher with unread and state; the project list shows who works, waits and failed.',
    states: [
      { name: 'home', show: showHome },
      { name: 'project', show: showRail },
    ],
  },
  {
    id: 'd4',
    promise: 'Notifications off the page: push, webhook, ntfy; what, when and quiet hours per person.',
    states: [{ name: 'settings', show: showNotifications }],
  },
  {
    id: 'd5',
    promise: 'Installed as an app: manifest, icon, an offline page that says what it shows.',
    states: [{ name: 'offline', show: showOffline }],
  },
  {
    id: 'd6',
    promise: 'A board with 1,000 tasks and a long chat stay usable (times: `npm run bench -- page`).',
    states: [{ name: 'thousand', show: showThousand }],
  },
];

const WITH_RAIL = 1_680;

/** A member with a project in which one agent works, one asks, one failed and one has said something. */
async function newWorkshop(scene: Scene) {
  const name = scene.say('家計簿 API', 'Ledger API');
  const working = await scene.newScript('home_working', 'Backend Worker', name);
  const { project } = working.world;
  await working.put('hold');
  await working.world.post(scene.say('締め日を直してください', 'Fix the closing day'));
  const id = `agt_${scene.stage.fresh('home_failed')}`;
  const command = { file: '/opt/not/there', args: [] };
  const failed = { id, type: 'ai', name: scene.say('資料担当', 'Docs Writer'), provider: 'command', command };
  await scene.stage.owner.call(unread, 'POST', '/agents', failed);
  await scene.join(project.id, id);
  await scene.stage.owner.call(unread, 'POST', `/projects/${project.id}/agents/${id}/chat/messages`, {
    content: scene.say('章立てを作って', 'Outline it'),
  });
  const quiet = await scene.newProject(scene.say('センサー中継', 'Sensor gateway'));
  const person = await scene.newMember(project, scene.say('森 かな', 'Kana Mori'));
  await scene.join(quiet.id, person.id);
  return { project, person, failedId: id, workingId: working.world.agentId };
}

const workshopOf = (scene: Scene) => scene.stage.once('workshop', () => newWorkshop(scene));

async function showHome(scene: Scene): Promise<void> {
  const { person, failedId, workingId } = await workshopOf(scene);
  await scene.signInAs(person);
  await scene.open('/projects');
  await scene.page.locator(`[data-testid=now-${failedId}][data-state=failed]`).waitFor();
  await scene.page.locator(`[data-testid=now-${workingId}][data-state=busy]`).waitFor();
  await scene.at('project-now').first().waitFor();
}

/** From 1600 px on the rail stands beside a project; below, the avatars in the top bar say the same. */
async function showRail(scene: Scene): Promise<void> {
  const { person, project, failedId } = await workshopOf(scene);
  const isWide = scene.look.name === 'wide';
  if (isWide) await scene.page.setViewportSize({ width: WITH_RAIL, height: scene.look.height });
  await scene.signInAs(person);
  await scene.open(`/projects/${project.id}`);
  const one = isWide ? `switcher-agent-${failedId}` : `agent-avatar-${failedId}`;
  await scene.at(one).waitFor();
  if (!isWide) await scene.at(one).and(scene.page.locator('[data-state=failed]')).waitFor();
}

async function showNotifications(scene: Scene): Promise<void> {
  await scene.open('/settings/notifications');
  await scene.at('notification-state').waitFor();
  await scene.at('add-webhook').waitFor();
}

async function showOffline(scene: Scene): Promise<void> {
  await scene.open('/offline.html');
  await scene.page.getByRole('heading', { level: 1 }).waitFor();
}

const MANY = 1_000;

async function showThousand(scene: Scene): Promise<void> {
  const project = await scene.stage.once('thousand', () => newThousand(scene));
  await scene.open(`/projects/${project.id}`);
  await scene.page
    .locator('[data-testid^="task-card-"]')
    .nth(MANY - 1)
    .waitFor({ state: 'attached' });
}

async function newThousand(scene: Scene) {
  const project = await scene.newProject(scene.say('大きな計画', 'A large plan'));
  const statuses = ['backlog', 'todo', 'done', 'cancelled'] as const;
  for (let from = 0; from < MANY; from += 20)
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const number = from + index;
        const title = `${scene.say('課題', 'Task')} ${number + 1}`;
        return scene.newTask(project, { title, status: statuses[number % statuses.length] ?? 'todo' });
      }),
    );
  return project;
}
