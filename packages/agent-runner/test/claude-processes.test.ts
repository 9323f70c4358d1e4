import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Turn } from '../src/driver.ts';
import { ScriptedClaudeWorld, scriptOf } from './claude-world.ts';
import { TICKET } from './scripted-session.ts';

/* What a process of Claude Code may do to the runner and to the host. */

let world: ScriptedClaudeWorld;
beforeEach(async () => {
  world = await ScriptedClaudeWorld.make();
});
afterEach(() => world.close());

test('one that does not end by SIGTERM is killed with the commands that it has started', async () => {
  const session = await world.open();
  const turn = world.play(session, world.turn([{ leave: true }, { hang: 'deaf' }]));
  await world.untilHanging();
  const [pid] = await world.given('left');
  await session.close();
  await turn;
  await expect
    .poll(() => readFile(`/proc/${pid}/stat`, 'latin1').catch(() => 'gone'))
    .toMatch(/^gone$|\) Z /);
});

test('a flood on stderr without a line break fills no memory, and a secret in it is not repeated', async () => {
  const session = await world.open();
  const flood = [{ complain: 'x'.repeat(65_536), times: 64 }, { complain: `\n${TICKET}\n` }] as const;
  expect((await world.play(session, world.turn([...flood, { say: 'Done.' }]))).answer).toBe('Done.');
  await expect.poll(() => world.logged.at(-1)).toMatch(/^claude: ·+\[hidden\]$/);
  expect(Math.max(...world.logged.map(({ length }) => length))).toBeLessThan(100_000);
});

test('a session to resume is named by its id only: what else stands there is an argument of the program', async () => {
  const session = await world.open({ resume: '--dangerously-skip-permissions' });
  await world.play(session, world.turn('Hello'));
  const given = JSON.stringify(await world.given('start'));
  expect(given).not.toContain('dangerously');
  const id = crypto.randomUUID();
  await world.play(await world.open({ resume: id }), world.turn('Hello'));
  expect(JSON.stringify(await world.given('start'))).toContain(`--resume=${id}`);
});

test('an edit of Claude Code is one for the policy only inside the folder, also behind links, and where nothing obeys it', async () => {
  await symlink('/etc', join(world.folder, 'out'));
  const kinds: unknown[] = [];
  const approve: Turn['approve'] = async ({ kind }) => {
    kinds.push(kind);
    return { decision: 'deny' };
  };
  const paths = ['src/new.ts', 'out/passwd', '.git/hooks/pre-commit', '.claude/settings.json', '../x'];
  const uses = paths.map((path) => ({
    use: { tool: 'Write', input: { file_path: join(world.folder, path) } },
  }));
  const session = await world.open();
  const { answer } = await world.play(session, world.turn(uses, { approve }));
  expect(answer).toBe(paths.map(() => 'deny').join('\n\n'));
  expect(kinds).toEqual(['edit', 'other', 'other', 'other', 'other']);
});

test.each(['until interrupted', 'until interrupted and told'] as const)(
  'a turn that an earlier process left, and that nobody waits for, is ended without a message (%s)',
  async (hang) => {
    await writeFile(join(world.folder, 'interrupted'), scriptOf([{ hang }]));
    const session = await world.open({ resume: crypto.randomUUID() });
    await world.untilHanging();
    await expect.poll(() => world.given('control')).toContain('interrupt');
    expect((await world.play(session, world.turn([{ say: 'Here.' }]))).answer).toBe('Here.');
    expect(await world.given('control')).toEqual(['initialize', 'interrupt']);
  },
);

test('a session that is closed starts no program for a turn that comes late', async () => {
  const session = await world.open();
  await session.close();
  const { events } = await world.play(session, world.turn('Hello'));
  expect(events.at(-1)).toMatchObject({ reason: 'failed' });
  expect(await world.given('start')).toHaveLength(1);
});

test('a working directory that is gone is not taken for a missing program', async () => {
  const session = await world.open({ cwd: join(world.folder, 'gone') });
  const { events } = await world.play(session, world.turn('Hello'));
  expect(events.at(-1)).toMatchObject({
    reason: 'failed',
    sentence: expect.stringMatching(/^The working directory .*gone of the project is not there/),
  });
});
