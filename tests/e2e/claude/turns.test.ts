import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import {
  CUT,
  lastResults,
  lastSaid,
  type ModelScript,
  playing,
  resultText,
} from '../../fixtures/fake-anthropic.ts';
import { ClaudeWorld, TOKEN } from './claude-world.ts';

let world: ClaudeWorld;
afterEach(() => world.close());

/** What the model was told of its call. */
const told: ModelScript = (request) => ({ text: lastResults(request).map(resultText).join() });

test('an answer streams, its cost is its own, and the session is remembered', async () => {
  world = await ClaudeWorld.make({ script: (request) => ({ text: ['You said: ', lastSaid(request)] }) });
  await world.writeFile('CLAUDE.md', 'The harbour is called Minato.');
  const session = await world.open({ systemPrompt: 'You are fond of tea.' });
  const first = await world.play(session, world.turn('Hello'));
  const second = await world.play(session, world.turn('Again'));
  expect(first.events).toEqual([
    { type: 'text', text: 'You said: ' },
    { type: 'text', text: 'Hello' },
    {
      type: 'usage',
      usage: {
        model: expect.stringMatching(/^claude-/),
        inputTokens: 10,
        outputTokens: 20,
        cacheReadTokens: 0,
        costUsd: expect.any(Number),
      },
    },
    { type: 'end', reason: 'done' },
  ]);
  expect(second.answer).toBe('You said: Again');
  // The program counts the whole session.
  expect(second.usage?.costUsd).toBeCloseTo(first.usage?.costUsd ?? 0, 8);
  const [project] = await readdir(join(world.home, '.claude', 'projects'));
  expect(await readdir(join(world.home, '.claude', 'projects', project ?? ''))).toContain(
    `${world.token}.jsonl`,
  );
  const sent = JSON.stringify(world.model.requests[0]);
  expect(sent).toContain('You are fond of tea.');
  expect(sent).toContain('The harbour is called Minato.');
});

test('one request for each answer, nothing to anywhere else, and only the tools that fit', async () => {
  world = await ClaudeWorld.make({ script: () => ({ text: 'ok' }) });
  const session = await world.open();
  expect(world.model.hits).toEqual([]);
  await world.play(session, world.turn('Hello'));
  await world.play(session, world.turn('Again'));
  expect(world.model.hits).toEqual(['POST /v1/messages', 'POST /v1/messages']);
  expect(world.elsewhere).toEqual([]);
  const names = world.model.requests[0]?.tools.map(({ name }) => name) ?? [];
  expect(names).toEqual(expect.arrayContaining(['Bash', 'Edit', 'Grep', 'AskUserQuestion']));
  expect(
    names.filter((name) => /Cron|Monitor|SendMessage|ListAgents|PlanMode|Worktree/.test(name ?? '')),
  ).toEqual([]);
  // The scripted server lists the tools of a task too; ours does not in a chat.
  expect(names.filter((name) => name?.startsWith('mcp__')).sort()).toEqual(
    [
      'create_task',
      'end_conversation',
      'get_attachment',
      'get_conversation_messages',
      'get_my_profile',
      'get_my_task',
      'get_task',
      'list_project_agents',
      'list_tasks',
      'propose_subtasks',
      'recall',
      'remember',
      'report_completed',
      'request_vision',
      'save_context',
      'send_message',
      'start_conversation',
      'update_task_status',
    ].map((name) => `mcp__aizuchi__${name}`),
  );
});

test('the model uses a tool of ours with the token of the session, and nobody is asked', async () => {
  world = await ClaudeWorld.make({
    script: playing({
      'How is it going?': [
        { tool: 'mcp__aizuchi__list_tasks', input: {} },
        (request) => ({ text: `The board: ${lastResults(request).map(resultText).join()}` }),
      ],
    }),
    tools: {
      list_tasks: () => ({
        tasks: [],
        counts: { backlog: 0, todo: 3, in_progress: 0, blocked: 0, done: 0, cancelled: 0 },
        next_cursor: null,
      }),
    },
  });
  const session = await world.open();
  const { answer, steps } = await world.play(session, world.turn('How is it going?'));
  expect(answer).toContain('"todo":3');
  expect(steps).toEqual([
    expect.objectContaining({ kind: 'tool', title: 'Looked at the board', status: 'done' }),
  ]);
  expect(world.mcp.callsOf('list_tasks')).toEqual([
    expect.objectContaining({ bearer: 'ticket-1234567890-abcdefghij' }),
  ]);
  expect(await argumentsOfClaude(world)).not.toContain('ticket-1234567890');
});

test('a stream that breaks and begins anew shows its text once', async () => {
  const shown = Promise.withResolvers<void>();
  let tries = 0;
  world = await ClaudeWorld.make({
    script: () => {
      tries += 1;
      return { text: tries === 1 ? ['The first ', 'half of', shown.promise, CUT] : ['The whole ', 'answer'] };
    },
  });
  const session = await world.open();
  const seen: string[] = [];
  const { answer, steps, end } = await world.play(session, world.turn('Tell me'), (event) => {
    if (event.type === 'text' || event.type === 'truncate') seen.push(event.type);
    if (seen.length === 2) shown.resolve();
  });
  expect(end).toEqual({ type: 'end', reason: 'done' });
  expect(answer).toBe('The whole answer');
  expect(seen).toEqual(['text', 'text', 'truncate', 'text', 'text']);
  expect(steps).toEqual([
    {
      id: 'retry',
      kind: 'other',
      title: 'The model did not answer (no connection, or no answer in time): retry 1 of 2',
      status: 'done',
    },
  ]);
});

test('commands of Claude Code work, and a text that only looks like one is a text', async () => {
  world = await ClaudeWorld.make({ script: (request) => ({ text: `Read: ${lastSaid(request)}` }) });
  const session = await world.open();
  await world.play(session, world.turn('Hello'));
  const compacted = await world.play(session, world.turn('/compact'));
  expect(compacted).toMatchObject({ answer: '', end: { reason: 'done' } });
  expect(compacted.steps).toEqual([
    {
      id: 'compaction',
      kind: 'other',
      title: expect.stringMatching(/^Shortened the context from \d+ to \d+ tokens$/),
      status: 'done',
    },
  ]);
  const { answer } = await world.play(session, world.turn('/config theme=dark'));
  expect(answer).toBe('Read: /config theme=dark');
});

test('trap 12: the commands of the model are not given the token of the session', async () => {
  world = await ClaudeWorld.make({
    script: playing({ look: [{ tool: 'Bash', input: { command: 'env; echo end' } }, told] }),
  });
  const session = await world.open();
  const approve = async () => ({ decision: 'allow_once' as const });
  const { answer } = await world.play(session, world.turn('look', { approve }));
  expect(answer).toContain('end');
  expect(answer).not.toContain(TOKEN);
  expect(answer).not.toContain('AIZUCHI_SESSION_TOKEN');
});

/** The command line of the process, as everybody on the host sees it. */
async function argumentsOfClaude({ folder }: ClaudeWorld): Promise<string> {
  const found: string[] = [];
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const cwd = await readlink(join('/proc', pid, 'cwd')).catch(() => '');
    if (cwd === folder) found.push(await readFile(join('/proc', pid, 'cmdline'), 'utf8').catch(() => ''));
  }
  expect(found.length).toBeGreaterThan(0);
  return found.join('\n');
}
