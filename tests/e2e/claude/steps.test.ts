import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { playing } from '../../fixtures/fake-anthropic.ts';
import { ClaudeWorld } from './claude-world.ts';

let world: ClaudeWorld;
afterEach(() => world.close());

test('what the agent does is shown as steps: thoughts, files with their diffs, commands with their output', async () => {
  world = await ClaudeWorld.make({
    script: playing({
      work: [
        () => ({
          blocks: [
            { thinking: 'I read first.' },
            { text: 'I look.' },
            use('Read', { file_path: at('a.txt') }),
          ],
        }),
        () => use('Edit', { file_path: at('a.txt'), old_string: 'two', new_string: 'TWO' }),
        () => use('Write', { file_path: at('src/new.ts'), content: 'export {};\n' }),
        use('Bash', { command: 'echo one && echo two >&2', description: 'Say it' }),
        use('Bash', { command: 'echo before; exit 3' }),
        use('Grep', { pattern: 'TWO' }),
        { text: 'Done.' },
      ],
    }),
  });
  await world.writeFile('a.txt', 'one\ntwo\nthree\n');
  const session = await world.open();
  const turn = world.turn('work', { approve: async () => ({ decision: 'allow_once' }) });
  const running: string[] = [];
  const { answer, steps, end } = await world.play(session, turn, (event) => {
    if (event.type === 'step' && event.step.status === 'running') running.push(event.step.title);
  });
  expect(end).toEqual({ type: 'end', reason: 'done' });
  expect(answer).toBe('I look.\n\nDone.');
  const done = { id: expect.any(String), status: 'done' };
  expect(steps).toEqual([
    { ...done, kind: 'thought', title: 'Thought', detail: 'I read first.' },
    { ...done, kind: 'read', title: 'Read a.txt' },
    {
      ...done,
      kind: 'edit',
      title: 'Edited a.txt',
      diff: { path: 'a.txt', before: 'one\ntwo\nthree\n', after: 'one\nTWO\nthree\n' },
    },
    {
      ...done,
      kind: 'edit',
      title: 'Created src/new.ts',
      diff: { path: 'src/new.ts', before: '', after: 'export {};\n' },
    },
    { ...done, kind: 'command', title: 'Ran echo one && echo two >&2', detail: 'one\ntwo' },
    {
      ...done,
      kind: 'command',
      title: 'Ran echo before; exit 3',
      status: 'failed',
      detail: 'Exit code 3\nbefore',
    },
    { ...done, kind: 'search', title: 'Searched for TWO', detail: expect.stringContaining('a.txt') },
  ]);
  // Each is shown as soon as it begins.
  expect(running).toEqual([
    'Thought',
    'Read a.txt',
    'Edited a.txt',
    'Edited src/new.ts',
    'Ran echo one && echo two >&2',
    'Ran echo before; exit 3',
    'Searched for TWO',
  ]);
  expect(await readFile(join(world.folder, 'a.txt'), 'utf8')).toBe('one\nTWO\nthree\n');
});

const use = (tool: string, input: Record<string, unknown>) => ({ tool, input });
const at = (path: string) => join(world.folder, path);
