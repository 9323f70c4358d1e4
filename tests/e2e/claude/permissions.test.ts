import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { decideByPolicy } from '@aizuchi/shared/core/approvals/rules/permission-policy';
import { afterEach, expect, test } from 'vitest';
import type { ApprovalOutcome, ApprovalRequest, Turn } from '../../../packages/agent-runner/src/driver.ts';
import {
  lastResults,
  type ModelScript,
  playing,
  type Reply,
  resultText,
} from '../../fixtures/fake-anthropic.ts';
import { ClaudeWorld } from './claude-world.ts';

/* What the policy of a project and a permission for the session allow Claude Code, and what they do not. */

let world: ClaudeWorld;
afterEach(() => world.close());

const bash = (command: string): Reply => ({ tool: 'Bash', input: { command } });
const write = (file: string) => (): Reply => ({
  tool: 'Write',
  input: { file_path: join(world.folder, file), content: `${file}\n` },
});
/** What the model was told of its call. */
const told: ModelScript = (request) => ({ text: lastResults(request).map(resultText).join() });

async function play(calls: readonly (Reply | ModelScript)[]): Promise<void> {
  world = await ClaudeWorld.make({ script: playing({ work: [...calls, told] }) });
}

/** As our server decides: by the policy of the project as it is now, else what the person says. */
function asked(person: ApprovalOutcome['decision']) {
  const requests: string[] = [];
  const approve: Turn['approve'] = async ({ tool, kind = 'other', input }: ApprovalRequest) => {
    const decided = decideByPolicy(world.policy, kind);
    if (decided?.state === 'allowed_once') return { decision: 'allow_once' };
    const { command, file_path } = input as { command?: string; file_path?: string };
    requests.push(command ?? `${tool} ${file_path?.replace(`${world.folder}/`, '')}`);
    return { decision: decided ? 'deny' : person };
  };
  return { requests, approve };
}

/** The files that were made. */
const made = async () => (await readdir(world.folder)).filter((name) => !name.startsWith('.')).sort();

async function writeJson(file: string, content: unknown): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(content));
}

const COMMANDS_ON_FILES = [
  'mkdir d',
  'touch three',
  'sed -i s/o/0/ one',
  'cp one four',
  'mv one five',
  'rm two',
];

test('under the policy allow_edits the commands that change files are asked for', async () => {
  await play([write('one'), write('two'), ...COMMANDS_ON_FILES.map(bash)]);
  world.policy = 'allow_edits';
  const session = await world.open();
  const { requests, approve } = asked('deny');
  await world.play(session, world.turn('work', { approve }));
  expect(requests).toEqual(COMMANDS_ON_FILES);
  expect(await made()).toEqual(['one', 'two']);
  expect(await readFile(join(world.folder, 'one'), 'utf8')).toBe('one\n');
});

test('a change of files allowed for the session allows edits in the folder: no commands, and nothing that programs obey', async () => {
  const outside = () => ({ tool: 'Write', input: { file_path: join(world.home, 'out'), content: 'x\n' } });
  await play([write('one'), write('two'), ...COMMANDS_ON_FILES.map(bash), write('.git/hooks/x'), outside]);
  const session = await world.open();
  const { requests, approve } = asked('deny');
  let isFirst = true;
  await world.play(
    session,
    world.turn('work', {
      approve: async (request) => {
        if (!isFirst) return approve(request);
        isFirst = false;
        return { decision: 'allow_session' };
      },
    }),
  );
  expect(requests).toEqual([...COMMANDS_ON_FILES, 'Write .git/hooks/x', `Write ${join(world.home, 'out')}`]);
  expect(await made()).toEqual(['one', 'two']);
});

test('a command for which Claude Code suggests no rule is remembered as it is, and no other', async () => {
  const nested = 'npm --version $(touch q)';
  await play([bash(nested), bash(nested), bash('npm --version $(touch r)')]);
  const session = await world.open();
  const { requests, approve } = asked('allow_session');
  await world.play(session, world.turn('work', { approve }));
  expect(requests).toEqual([nested, 'npm --version $(touch r)']);
});

test('a policy that becomes stricter is true for the next request of a warm session', async () => {
  await play([write('one')]);
  world.policy = 'allow_edits';
  const session = await world.open();
  const { requests, approve } = asked('deny');
  await world.play(session, world.turn('work', { approve }));
  expect([requests, await made()]).toEqual([[], ['one']]);
  for (const policy of ['ask', 'deny'] as const) {
    world.policy = policy;
    await world.play(session, world.turn('work', { approve }));
  }
  expect(requests).toEqual(['Write one', 'Write one']);
});

test('deny refuses also what a person has allowed for the session before; with ask that is true again', async () => {
  const calls = ['npm --version', 'npm --version $(touch q)'];
  await play([write('one'), ...calls.map(bash), bash('ls')]);
  const session = await world.open();
  const { requests, approve } = asked('allow_session');
  const turn = () => world.play(session, world.turn('work', { approve }));
  await turn();
  await turn();
  expect(requests.splice(0)).toEqual(['Write one', ...calls]);
  world.policy = 'deny';
  const { steps } = await turn();
  expect(requests.splice(0)).toEqual(expect.arrayContaining(['Write one', ...calls]));
  expect(steps.slice(0, 3).map(({ status }) => status)).toEqual(['failed', 'failed', 'failed']);
  world.policy = 'ask';
  await turn();
  expect(requests).toEqual([]);
});

test('the card says what a permission for the session would allow, in the language of the messages', async () => {
  const outside = () => ({ tool: 'Write', input: { file_path: join(world.home, 'out'), content: 'x\n' } });
  const calls = [write('one'), bash('touch two'), bash('npm --version'), bash('npm -v $(touch q)'), outside];
  await play([...calls, bash('cat /etc/hostname')]);
  const session = await world.open();
  const scopes: unknown[] = [];
  await world.play(
    session,
    world.turn('work', {
      approve: async ({ sessionScope }) => {
        scopes.push(sessionScope);
        return { decision: 'deny' };
      },
    }),
  );
  expect(scopes).toEqual([
    'all changes of files in the working folder, except in .git, .claude and the like',
    'commands that begin with “touch two”',
    'the command “npm --version”',
    'exactly the same again',
    'exactly the same again',
    'the command “cat /etc/hostname”',
  ]);
});

/** What the host has set up for Claude Code. */
const user = (settings: unknown) => writeJson(join(world.home, '.claude/settings.json'), settings);
const project = (settings: unknown) => writeJson(join(world.folder, '.claude/settings.json'), settings);
/** As after "Yes, I trust this folder" in a terminal: from then on its permissions count there. */
const trust = () =>
  writeJson(join(world.home, '.claude.json'), {
    projects: { [world.folder]: { hasTrustDialogAccepted: true } },
  });

const ALLOWING = { permissions: { allow: ['Bash', 'Edit', 'Write'], deny: ['Bash(date:*)'] } };

test.each([
  ['the account', () => user(ALLOWING)],
  ['the folder', () => Promise.all([trust(), project(ALLOWING)])],
])(
  'settings of %s that allow everything allow nothing here; what they refuse stays refused',
  async (_of, set) => {
    await play([bash('npm --version'), write('one'), bash('touch two'), bash('date')]);
    await set();
    world.policy = 'deny';
    const session = await world.open();
    const { requests, approve } = asked('allow_once');
    const { answer } = await world.play(session, world.turn('work', { approve }));
    expect(requests).toEqual(['npm --version', 'Write one', 'touch two']);
    expect(await made()).toEqual([]);
    expect(answer).toContain('Permission to use Bash with command date has been denied');
  },
);

test('a rule of the account that refuses a file beside its settings, or asks, is kept', async () => {
  const secret = () => ({ tool: 'Read', input: { file_path: join(world.home, '.claude/secret.txt') } });
  await play([secret, bash('ls')]);
  await user({ permissions: { deny: ['Read(/secret.txt)'], ask: ['Bash(ls:*)'] } });
  await writeFile(join(world.home, '.claude/secret.txt'), 'a secret');
  const session = await world.open();
  const { requests, approve } = asked('allow_once');
  await world.play(session, world.turn('work', { approve }));
  expect(requests).toEqual(['ls']);
});

test('a skill of the folder allows its model nothing', async () => {
  let step = 0;
  const calls = [{ tool: 'Skill', input: { skill: 'foo' } }, bash('npm --version'), { text: 'ok' }];
  world = await ClaudeWorld.make({ script: () => calls[step++] ?? { text: 'ok' } });
  await world.writeFile(
    '.claude/skills/foo/SKILL.md',
    '---\nname: foo\ndescription: d\nallowed-tools: Bash(npm:*)\n---\nDo it.',
  );
  const session = await world.open();
  const { requests, approve } = asked('allow_once');
  await world.play(session, world.turn('work', { approve }));
  expect(requests).toEqual(['Skill undefined', 'npm --version']);
});

test.each(['acceptEdits', 'auto'])(
  'a subagent of the folder with the mode %s is asked about as any',
  async (mode) => {
    world = await ClaudeWorld.make({
      script: playing({
        work: [{ tool: 'Task', input: { subagent_type: 'foo', prompt: 'sub', description: 'd' } }, told],
        sub: [bash('touch one'), () => write('two')(), told],
      }),
    });
    await world.writeFile(
      '.claude/agents/foo.md',
      `---\nname: foo\ndescription: d\npermissionMode: ${mode}\n---\nDo it.`,
    );
    const session = await world.open();
    const { requests, approve } = asked('deny');
    await world.play(session, world.turn('work', { approve }));
    expect(requests).toEqual(['touch one', 'Write two']);
    expect(await made()).toEqual([]);
  },
);
