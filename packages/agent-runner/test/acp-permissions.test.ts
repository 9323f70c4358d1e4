import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { PermissionOption, ToolCallUpdate } from '@agentclientprotocol/sdk';
import type { QuestionItem } from '@aizuchi/shared/contract/question';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApprovalRequest, DriverSession } from '../src/driver.ts';
import { AcpWorld, lastSteps, scriptOf } from './acp-world.ts';
import { message } from './runner-world.ts';

/* What an ACP agent asks in the middle of a turn: permissions and forms. */

let world: AcpWorld;
let session: DriverSession;
beforeAll(async () => {
  world = await AcpWorld.make();
  session = await world.open();
});
afterAll(() => world.close());

const ONCE: PermissionOption = { optionId: 'p1', name: 'Allow', kind: 'allow_once' };
const SESSION: PermissionOption = { optionId: 'p2', name: 'Allow for this session', kind: 'allow_always' };
const NEVER_AGAIN: PermissionOption = { optionId: 'p3', name: 'Always allow it', kind: 'allow_always' };
const REJECT: PermissionOption = { optionId: 'p4', name: 'No', kind: 'reject_once' };
const OPTIONS = [ONCE, SESSION, REJECT];

const command = (title: string, more: Partial<ToolCallUpdate> = {}): ToolCallUpdate => ({
  toolCallId: `call-${title}`,
  kind: 'execute',
  title,
  rawInput: { command: title },
  ...more,
});
const asked = (permission: ToolCallUpdate, options: PermissionOption[] = OPTIONS) => ({
  permission,
  options,
});

test('a person is shown what would be done, and the option is chosen by its kind', async () => {
  const shown: ApprovalRequest[] = [];
  const result = await world.turn(session, [asked(command('rm x'))], {
    approve: (request) => {
      shown.push(request);
      return { decision: 'allow_once' };
    },
  });
  expect(result.text).toBe('[p1]');
  expect(shown).toEqual([
    {
      tool: 'execute',
      summary: 'rm x',
      input: { command: 'rm x' },
      kind: 'command',
      sessionScope: 'exactly the same again',
    },
  ]);
  expect(lastSteps(result)).toMatchObject([{ kind: 'command', title: 'rm x', status: 'done' }]);
});

test('allowed for the session: the driver remembers the same request, and never the agent', async () => {
  let count = 0;
  const approve = () => {
    count += 1;
    return { decision: 'allow_session' as const };
  };
  const options = [NEVER_AGAIN, SESSION, ONCE, REJECT];
  const ask = (title: string) => world.turn(session, [asked(command(title), options)], { approve });
  expect((await ask('git pull')).text).toBe('[p1]');
  expect((await ask('git pull')).text).toBe('[p1]');
  expect(count).toBe(1);
  await ask('git push');
  expect(count).toBe(2);
});

test('an edit allowed for the session allows edits inside the working directory, and nothing else', async () => {
  const shown: string[] = [];
  const approve = ({ summary }: ApprovalRequest) => {
    shown.push(summary);
    return { decision: 'allow_session' as const };
  };
  const granting = await world.open();
  const edit = (path: string): ToolCallUpdate => ({
    toolCallId: `edit-${path}`,
    kind: 'edit',
    title: `Edit ${path}`,
    content: [{ type: 'diff', path: join(world.folder, path), oldText: '', newText: 'x' }],
  });
  const calls = [edit('one'), edit('two'), command('rm one'), edit('.git/hooks/x'), edit('../out')];
  const result = await world.turn(
    granting,
    calls.map((call) => asked(call)),
    { approve },
  );
  expect(result.text).toBe(Array(5).fill('[p1]').join('\n\n'));
  expect(shown).toEqual(['Edit one', 'rm one', 'Edit .git/hooks/x', 'Edit ../out']);
});

test('under deny the server is asked also about what was allowed for the session, and about nothing more after it', async () => {
  let count = 0;
  const approve = () => {
    count += 1;
    return { decision: world.policy === 'deny' ? ('deny' as const) : ('allow_session' as const) };
  };
  const granting = await world.open();
  const ask = () => world.turn(granting, [asked(command('git pull'))], { approve });
  expect([(await ask()).text, (await ask()).text, count]).toEqual(['[p1]', '[p1]', 1]);
  world.policy = 'deny';
  expect([(await ask()).text, count]).toEqual(['[p4]', 2]);
  world.policy = 'ask';
  expect([(await ask()).text, count]).toEqual(['[p1]', 2]);
});

test.each(['deny', 'timeout', 'unavailable'] as const)(
  '%s is a refusal: the step has failed',
  async (decision) => {
    const result = await world.turn(session, [asked(command('rm y'))], { approve: () => ({ decision }) });
    expect(result.text).toBe('[p4]');
    expect(lastSteps(result)).toMatchObject([{ title: 'rm y', status: 'failed' }]);
  },
);

test('a refusal with a note: the agent is told the note as soon as it has ended its turn', async () => {
  const result = await world.turn(session, [asked(command('rm z')), { stop: 'cancelled' }], {
    approve: () => ({ decision: 'deny', note: 'use git rm' }),
  });
  expect(result.text).toMatch(/^\[p4\]\n\nYou said: <note>\nThe person refused "rm z" and wrote: use git rm/);
  expect(result.end).toEqual({ type: 'end', reason: 'done' });
});

test('an agent that ends its turn after a refusal without a word: the person reads why', async () => {
  const silently = { ...asked(command('rm w')), isSilent: true as const };
  const result = await world.turn(session, [silently, { stop: 'cancelled' }], {
    approve: () => ({ decision: 'deny' }),
  });
  expect(result.end).toEqual({ type: 'end', reason: 'done' });
  expect(result.text).toBe('I stopped here because this was not permitted. Write what I should do instead.');
});

test('interrupted while a permission is open: it is answered as cancelled', async () => {
  const stop = new AbortController();
  const result = await world.turn(session, [asked(command('sleep')), { hang: 'until cancelled' }], {
    signal: stop.signal,
    approve: () => {
      stop.abort();
      return new Promise(() => undefined);
    },
  });
  expect(result.end).toEqual({ type: 'end', reason: 'interrupted' });
  expect((await world.turn(session, [{ say: 'Next.' }])).text).toBe('Next.');
});

test('tools of our own server need no permission', async () => {
  const own = command('list_tasks', { kind: 'other', name: 'mcp__aizuchi__list_tasks' });
  const result = await world.turn(session, [asked(own)], { approve: () => expect.unreachable() });
  expect(result.text).toBe('[p1]');
  expect(lastSteps(result)).toMatchObject([{ kind: 'tool', title: 'Looked at the board' }]);
});

test('the server is told what is an edit inside the working directory, also behind links, and what is not or is obeyed by a program', async () => {
  await mkdir(join(world.folder, 'src'));
  await symlink('/etc', join(world.folder, 'out'));
  const edit = (path: string): ToolCallUpdate => ({
    toolCallId: `edit-${path}`,
    kind: 'edit',
    title: path,
    content: [{ type: 'diff', path, oldText: 'a', newText: 'b' }],
  });
  const kinds: unknown[] = [];
  const approve = ({ kind }: ApprovalRequest) => {
    kinds.push(kind);
    return { decision: 'allow_once' as const };
  };
  const paths = [
    'src/new.ts',
    'new/folder/a.ts',
    'out/passwd',
    '../x',
    '.git/hooks/pre-commit',
    'src/.Claude/settings.json',
    '.mcp.json',
  ].map((path) => join(world.folder, path));
  const moved = command('mv a /tmp/b', { kind: 'move', locations: [{ path: join(world.folder, 'a') }] });
  const requests = [...paths, '/etc/passwd'].map((path) => asked(edit(path)));
  await world.turn(session, [...requests, asked(moved)], { approve });
  expect(kinds).toEqual(['edit', 'edit', ...Array.from({ length: 7 }, () => 'other')]);
});

const choice = (label: string, description?: string) => ({
  const: label,
  title: label,
  ...(description && { description }),
});

test('a form is a card: one choice, several, an answer of the person’s own', async () => {
  const cards: (readonly QuestionItem[])[] = [];
  const form = {
    message: 'Please answer the following questions.',
    requestedSchema: {
      type: 'object' as const,
      properties: {
        question_0: {
          type: 'string' as const,
          title: 'Colour',
          description: 'Which colour?',
          oneOf: [choice('Red', 'warm'), choice('Blue')],
        },
        question_0_custom: { type: 'string' as const, title: 'Other' },
        question_1: {
          type: 'array' as const,
          title: 'Parts',
          description: 'Which parts?',
          items: { anyOf: [choice('Door'), choice('Door, left'), choice('Roof')] },
        },
        question_2: {
          type: 'string' as const,
          title: 'Size',
          description: 'Which size?',
          oneOf: [choice('S'), choice('M')],
        },
        question_2_custom: { type: 'string' as const, title: 'Other' },
      },
    },
  };
  const result = await world.turn(session, [{ form }], {
    ask: (questions) => {
      cards.push(questions);
      return {
        status: 'answered',
        answers: {
          'Which colour?': 'Blue',
          'Which parts?': 'Door, left, Roof',
          'Which size?': 'as large as it gets',
        },
      };
    },
  });
  expect(cards).toEqual([
    [
      {
        question: 'Which colour?',
        header: 'Colour',
        multiSelect: false,
        options: [
          { label: 'Red', description: 'warm' },
          { label: 'Blue', description: '' },
        ],
      },
      expect.objectContaining({ question: 'Which parts?', multiSelect: true }),
      expect.objectContaining({ question: 'Which size?' }),
    ],
  ]);
  expect(JSON.parse(result.text)).toEqual({
    action: 'accept',
    content: {
      question_0: 'Blue',
      question_1: ['Door, left', 'Roof'],
      question_2_custom: 'as large as it gets',
    },
  });
});

test.each([
  ['timeout', 'decline'],
  ['unavailable', 'decline'],
  ['refused', 'decline'],
  ['cancelled', 'cancel'],
] as const)('a card that ends with %s is no answer', async (status, action) => {
  const properties = { a: { type: 'string' as const, enum: ['x', 'y'] } };
  const form = { message: 'Which?', requestedSchema: { type: 'object' as const, properties } };
  const result = await world.turn(session, [{ form }], { ask: () => ({ status, answers: {} }) });
  expect(JSON.parse(result.text)).toEqual({ action });
});

test('in a conversation with another agent nobody is asked', async () => {
  const properties = { a: { type: 'string' as const, enum: ['x', 'y'] } };
  const form = { message: 'Which?', requestedSchema: { type: 'object' as const, properties } };
  const tools = { call: () => Promise.reject(new Error('the server is away')) };
  const talking = await world.open({ session: { tools } });
  const result = await world.turn(talking, [{ form }], {
    source: { kind: 'conversation', conversation_id: 'conv_1', agent_id: 'agt_2' },
    messages: [message('msg_1', scriptOf([{ form }]))],
    ask: () => expect.unreachable(),
  });
  expect(JSON.parse(result.text)).toEqual({ action: 'decline' });
});
