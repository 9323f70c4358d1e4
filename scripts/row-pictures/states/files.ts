import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../../commands/steps.ts';
import type { Row } from '../row.ts';
import { assert, type Scene } from '../scene.ts';

/** What a message carries besides its words: files, names, links. */
export const FILE_ROWS: readonly Row[] = [
  {
    id: 'd2',
    promise:
      'Files are dropped, pasted and picked, with previews; a long text that is pasted becomes a file.',
    states: [
      { name: 'drafts', show: openFiles },
      { name: 'sent', show: showSent },
    ],
  },
  {
    id: 'd3',
    promise: '“@” offers names; links to tasks, messages and runs unfold.',
    states: [
      { name: 'menu', show: showMentions },
      { name: 'unfolded', show: showUnfolded },
    ],
  },
];

const PICTURE = join(root, 'packages', 'web', 'public', 'icon-192.png');

async function openFiles(scene: Scene): Promise<void> {
  const name = scene.say('家計簿 API', 'Ledger API');
  const scripted = await scene.newScript('files', 'Backend Worker', name);
  const chat = await scene.untilReady(scripted.world);
  const file = { name: scene.say('図 1.png', 'figure 1.png'), mimeType: 'image/png' };
  await scene.at('attach-input').setInputFiles([{ ...file, buffer: await readFile(PICTURE) }]);
  await chat.input.focus();
  await scene.page.evaluate(`(() => {
    const data = new DataTransfer();
    data.setData('text/plain', 'word '.repeat(1000));
    const paste = new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: data });
    document.querySelector('[data-testid="chat-input"]').dispatchEvent(paste);
  })()`);
  await scene.page.locator('[data-testid="draft-file"][data-state="ready"]').nth(1).waitFor();
  assert((await chat.input.inputValue()) === '', 'The long text stands in the composer.');
}

async function showSent(scene: Scene): Promise<void> {
  await openFiles(scene);
  await scene.chat.say(scene.say('これは何ですか？', 'What is this?'));
  await scene.untilAnswers(1);
  await scene.page.locator('[data-testid^="chat-message-msg"] img').first().waitFor();
  await scene.at('draft-file').first().waitFor({ state: 'detached' });
}

async function openMentions(scene: Scene) {
  const name = scene.say('家計簿 API', 'Ledger API');
  const scripted = await scene.newScript('mentions', 'Backend Worker', name);
  await scene.newMember(scripted.world.project, scene.say('森 かな', 'Kana Mori'));
  await scene.untilReady(scripted.world);
  return scripted.world.project;
}

async function showMentions(scene: Scene): Promise<void> {
  await openMentions(scene);
  await scene.chat.input.pressSequentially(scene.say('見てください @', 'Please look, @'));
  await scene.at('chat-mentions').getByText(scene.say('森 かな', 'Kana Mori')).waitFor();
}

async function showUnfolded(scene: Scene): Promise<void> {
  const project = await openMentions(scene);
  const title = scene.say('端数を銀行丸めにそろえる', 'Round half to even');
  const task = await scene.newTask(project, { title, status: 'todo' });
  const link = `${scene.stage.url}/projects/${project.id}?task=${task.id}`;
  await scene.chat.input.fill(`@${scene.say('森 かな', 'Kana Mori')} ${link}`);
  await scene.chat.sendButton.click();
  await scene.at(`unfolded-${task.id}`).first().getByText(title).waitFor();
  await scene.page.locator('[data-mention]').first().waitFor();
}
