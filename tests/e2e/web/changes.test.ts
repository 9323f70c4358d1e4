import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Run, runPageSchema } from '@aizuchi/shared/contract/run';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { ProjectRepository } from '../../fixtures/project-repository.ts';
import { ChatWorld } from './support/chat-world.ts';
import { expectGoodLook, LOOKS } from './support/look.ts';
import { useWeb } from './support/web.ts';

const web = useWeb();
const AGENT = fileURLToPath(new URL('../../fixtures/agents/edits-files.mjs', import.meta.url));

const CLOSING = `import { Account, ConfigError } from "./account";

export function closingDay(account: Account, d: Date) {
  const tz = settings.timezone;
  if (!tz) throw new ConfigError("timezone");
  return new Date(d.getUTCFullYear(), d.getUTCMonth() + 1, 0);
}
`;
const NEW_CLOSING = CLOSING.replace('settings.timezone;', 'account.timezone ?? "Asia/Tokyo";').replace(
  '  if (!tz) throw new ConfigError("timezone");\n',
  '  // 月末は口座の土地の時刻で決める\n  const p = parts(d, tz);\n',
);

let world: ChatWorld;
let repository: ProjectRepository;
const git = (...args: string[]) => repository.git(...args);

beforeAll(async () => {
  world = await ChatWorld.make(web, 'prj_changes', {
    id: 'agt_changes',
    name: 'Analysis Worker',
    provider: 'command',
    command: { file: process.execPath, args: [AGENT] },
  });
  await web.owner.call(z.unknown(), 'PATCH', `/projects/${world.project.id}`, { isolation: 'worktree' });
  const { workingDirectory: folder = '' } = world.project;
  repository = await ProjectRepository.make(web.product.environment.AIZUCHI_HOME ?? '', folder, {
    'src/closing/closing.ts': CLOSING,
    'src/report/legacy-date.ts': 'export const LEGACY = true;\n',
  });
});

/** The run that wrote these files and has ended, once its changes are known. */
async function changedBy(message: string): Promise<Run> {
  await world.post(message);
  const waiting = async () => {
    const path = `/projects/${world.project.id}/runs?changes=undecided`;
    const { runs } = await web.owner.call(runPageSchema, 'GET', path);
    return runs.find(({ state, changes }) => state === 'exited' && (changes?.fileCount ?? 0) > 0);
  };
  await expect.poll(waiting).toBeDefined();
  const found = await waiting();
  if (!found) throw new Error('no run with changes');
  return found;
}

const line = (path: string, text: string) => `${path} = ${text.replaceAll('\n', '\\n')}`;

test('what an agent changed is reviewed, meets changes of a person, and is kept', async () => {
  const { id } = await changedBy(
    [
      line('src/closing/closing.ts', NEW_CLOSING),
      line('src/closing/closing.test.ts', 'test("the last day", () => {});\n'),
      'src/report/legacy-date.ts -',
      'bye',
    ].join('\n'),
  );
  expect(await readFile(join(repository.folder, 'src/closing/closing.ts'), 'utf8'), 'untouched').toBe(
    CLOSING,
  );
  const page = await web.signedIn({ locale: 'en', path: `/projects/${world.project.id}/runs` });
  await page.getByTestId(`run-changes-${id}`).click();
  await page.getByRole('heading', { name: 'Changes of Analysis Worker' }).waitFor();
  await page.getByText('account.timezone').waitFor();
  await expect
    .poll(() => page.getByRole('navigation', { name: 'Files' }).getByRole('link').allTextContents())
    .toEqual([
      expect.stringMatching(/closing\.test\.ts.*\+1/),
      expect.stringMatching(/closing\.ts.*\+3.*−2/),
      expect.stringMatching(/legacy-date\.ts.*−1/),
    ]);

  await repository.write('src/closing/closing.ts', `${CLOSING}// mine\n`);
  await page.getByTestId('changes-keep').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Keep' }).click();
  await page.getByTestId('changes-conflict').getByText('src/closing/closing.ts').waitFor();
  expect(await git('status', '--porcelain'), 'nothing was touched').toBe('M src/closing/closing.ts');
  expect(await git('rev-list', '--count', 'HEAD')).toBe('1');

  await git('checkout', '-q', '--', '.');
  await page.getByTestId('changes-keep').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Keep' }).click();
  await page.getByTestId('changes-outcome').getByText(/Kept/).waitFor();
  expect(await readFile(join(repository.folder, 'src/closing/closing.ts'), 'utf8')).toBe(NEW_CLOSING);
  expect(await git('log', '--format=%an: %s', '-1', 'HEAD^2')).toBe('agt_changes: Work of agt_changes');
  expect(await git('status', '--porcelain')).toBe('');
});

test.each(LOOKS)('from the chat to the changes, and away with them: $locale, $width px', async (look) => {
  const { id } = await changedBy(
    `${line('src/closing/closing.ts', `${CLOSING}export {};\n`)}\n${line('notes/読んで.md', 'はい\n')}\nbye`,
  );
  const page = await web.signedIn({ ...look, path: world.path });
  await page.getByTestId('chat-changes').getByRole('link').waitFor();
  await expectGoodLook(page, `changes-chat-${look.locale}-${look.width}`);
  await page.getByTestId('chat-changes').getByRole('link').click();
  await page.waitForURL(`**/runs/${id}/changes**`);
  await page.goto(`/projects/${world.project.id}/runs/${id}/changes`);
  await page.getByTestId('change-0').getByText('読んで.md').waitFor();
  await page.getByText('export {};').waitFor();
  await expectGoodLook(page, `changes-${look.locale}-${look.width}`);
  await git('checkout', '-q', '-b', `other-${look.width}`);
  await page.getByTestId('changes-keep').click();
  await page.getByRole('dialog').getByRole('button').last().click();
  await page.getByTestId('changes-conflict').waitFor();
  await expectGoodLook(page, `changes-conflict-${look.locale}-${look.width}`);
  await git('checkout', '-q', 'main');
  await page.getByTestId('changes-discard').click();
  await page.getByRole('dialog').getByRole('button').last().click();
  await page.getByTestId('changes-discard').waitFor({ state: 'detached' });
  await expectGoodLook(page, `changes-discarded-${look.locale}-${look.width}`);
  await expect.poll(() => git('branch', '--list', `aizuchi/${id}`)).toBe('');
  expect(await git('status', '--porcelain')).toBe('');
});
