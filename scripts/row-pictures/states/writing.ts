import { ONE } from '../../../tests/e2e/web/support/ask.ts';
import type { Row } from '../row.ts';
import { assert, type Scene, untilFocused } from '../scene.ts';

/** What a person writes: it goes where it was meant to go, and is not lost. */
export const WRITING_ROWS: readonly Row[] = [
  {
    id: '02',
    promise: 'The composer keeps the focus; shortcuts never eat what is typed after a click.',
    states: [{ name: 'after-send', show: showAfterSend }],
  },
  {
    id: '03',
    promise:
      'A half-written task is a draft that is kept; what is shown once is not closed without a question.',
    states: [
      { name: 'draft', show: showDraft },
      { name: 'question', show: showQuestion },
    ],
  },
  {
    id: '09',
    promise: 'What is typed while a card is open is taken as Other, with one click to undo.',
    states: [{ name: 'taken', show: showTaken }],
  },
  {
    id: '12',
    promise: 'After Esc in the composer the agent stays warm, or the page says that it does not.',
    states: [{ name: 'closed', show: showClosed }],
  },
  {
    id: '17',
    promise: 'Own messages are drawn like others: fences, folding, dir=auto, coloured code.',
    states: [
      { name: 'own', show: showOwn },
      { name: 'folded', show: showFolded },
    ],
  },
];

async function showAfterSend(scene: Scene): Promise<void> {
  const world = await scene.newWorld(
    'focus',
    { name: scene.say('しるべ', 'Beacon') },
    scene.say('家計簿 API', 'Ledger API'),
  );
  await scene.newTask(world.project, {
    title: scene.say('締め日が 1 日ずれる', 'Closing is a day early'),
    status: 'in_progress',
    assigneeId: world.agentId,
  });
  const chat = await scene.untilReady(world);
  await chat.say(scene.say('タスクの進捗を教えてください', 'How are the tasks going?'));
  await scene.untilAnswers(1);
  // On a touch screen the keyboard would come back: there the next tap gives it.
  if (scene.look.isTouched) await chat.input.tap();
  await untilFocused(scene, 'chat-input');
  await scene.page.keyboard.type('can you help');
  assert(
    (await chat.input.inputValue()) === 'can you help',
    'What was typed did not arrive in the composer.',
  );
  assert((await scene.page.getByRole('dialog').count()) === 0, 'A shortcut has opened a dialog.');
}

async function showDraft(scene: Scene): Promise<void> {
  const project = await scene.newProject(scene.say('家計簿 API', 'Ledger API'));
  await scene.newTask(project, { title: scene.say('CSV の文字コード', 'Encoding of CSV files') });
  const title = scene.say('月次集計をページに分ける', 'Paginate the monthly totals');
  await scene.open(`/projects/${project.id}`);
  await scene.at('task-new').click();
  await scene.at('task-title').fill(title);
  await scene.page.keyboard.press('Escape');
  await scene.at('task-title').waitFor({ state: 'detached' });
  await scene.at('task-new').click();
  await scene.at('task-title').waitFor();
  assert((await scene.at('task-title').inputValue()) === title, 'The half-written task is gone.');
}

async function showQuestion(scene: Scene): Promise<void> {
  await scene.open('/settings/people');
  await scene.at('person-new').click();
  await scene.at('person-name').fill(scene.say('森 かな', 'Kana Mori'));
  await scene.at('person-id').fill(scene.stage.fresh('mori'));
  await scene.at('person-save').click();
  await scene.at('invite-once').waitFor();
  await scene.page.keyboard.press('Escape');
  await scene.at('close-question').waitFor();
}

async function showTaken(scene: Scene): Promise<void> {
  const scripted = await scene.newScript('taken', 'Backend Worker', scene.say('家計簿 API', 'Ledger API'));
  const chat = await scene.untilReady(scripted.world);
  await scripted.put('ask.json', JSON.stringify([ONE]));
  await chat.say(scene.say('署名の検証を作ってください', 'Build the signature check'));
  await scene.page.locator('[data-testid="question-card"][data-status="pending"]').waitFor();
  await scripted.remove('ask.json');
  const said = scene.say('コーヒーをください', 'coffee please');
  await chat.say(said);
  await scene.at('card-reply').getByText(said).waitFor();
  await scene.at('card-reply-undo').waitFor();
}

async function showClosed(scene: Scene): Promise<void> {
  const name = scene.say('しるべ', 'Beacon');
  const world = await scene.newWorld('closed', { name }, scene.say('家計簿 API', 'Ledger API'));
  const chat = await scene.untilReady(world);
  await chat.input.press('Escape');
  await scene.at('chat-panel').waitFor({ state: 'detached' });
  await scene.page.getByRole('button', { name: scene.say('もう一度開く', 'Open again') }).waitFor();
}

const LONG_LINES = 60;

async function showOwn(scene: Scene): Promise<void> {
  const scripted = await scene.newScript('own', 'Backend Worker', scene.say('家計簿 API', 'Ledger API'));
  const chat = await scene.untilReady(scripted.world);
  await scripted.put(
    'answer.md',
    '```ts\nexport function closingDay(d: Date) {\n  return endOf(d); // local\n}\n```',
  );
  await chat.say(
    `${scene.say('これを直してください', 'Fix this')}\n\n\`\`\`ts\nconst a: number = 1;\n\`\`\`\n\nשלום עולם`,
  );
  await scene.untilAnswers(1);
  await scene.page.locator('.own-text pre code', { hasText: 'const a' }).waitFor();
  await scene.page
    .locator('.chat-text code span')
    .filter({ hasText: /^export$/ })
    .waitFor();
}

async function showFolded(scene: Scene): Promise<void> {
  const scripted = await scene.newScript('folded', 'Backend Worker', scene.say('家計簿 API', 'Ledger API'));
  const chat = await scene.untilReady(scripted.world);
  const lines = Array.from({ length: LONG_LINES }, (_, line) => `${scene.say('行', 'Line')} ${line + 1}  `);
  await chat.say(lines.join('\n'));
  await scene.page
    .getByRole('button', { name: String(LONG_LINES) })
    .first()
    .waitFor();
}
