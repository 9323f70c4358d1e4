import { describe, expect, test } from 'vitest';
import { subjectOf, viewOf } from './approval-input.ts';

describe('the input of a tool', () => {
  test('a command stands alone, and what else was given is not left out', () => {
    const input = { command: 'pnpm test', timeout: 5, description: 'Run' };
    expect(viewOf({ kind: 'command', input })).toEqual({
      kind: 'command',
      command: 'pnpm test',
      rest: { values: { timeout: 5, description: 'Run' }, isHarmless: true, contradictory: [] },
    });
    expect(viewOf({ kind: 'other', input: { cmd: ['rm', '-rf', 'my dir'] } })).toEqual({
      kind: 'command',
      command: 'rm -rf "my dir"',
      rest: undefined,
    });
  });

  test('an edit is a diff, with the values that say how it is done', () => {
    const input = { file_path: 'a.ts', old_string: 'x', new_string: 'y', replace_all: true };
    expect(viewOf({ kind: 'edit', input })).toEqual({
      kind: 'edit',
      edits: [{ path: 'a.ts', before: 'x', after: 'y' }],
      rest: { values: { replace_all: true }, isHarmless: false, contradictory: [] },
    });
    expect(viewOf({ kind: 'edit', input: { path: 'n.ts', content: 'new' } })).toMatchObject({
      edits: [{ path: 'n.ts', before: '', after: 'new' }],
    });
  });

  test('several edits of one file; one with more than two texts is shown as it is', () => {
    const edits = [
      { old_string: 'a', new_string: 'b' },
      { old_string: 'c', new_string: 'd' },
    ];
    expect(viewOf({ kind: 'edit', input: { file_path: 'a.ts', edits } })).toMatchObject({
      edits: [{ after: 'b' }, { after: 'd' }],
      rest: undefined,
    });
    const more = [{ ...edits[0], replace_all: true }];
    expect(viewOf({ kind: 'edit', input: { file_path: 'a.ts', edits: more } }).kind).toBe('json');
  });

  test.each([[{ path: 'a.ts' }], ['a text'], [null], [[1, 2]]])('anything else is JSON: %j', (input) => {
    expect(viewOf({ kind: 'edit', input }).kind).toBe('json');
  });

  test('the subject of the line', () => {
    expect(subjectOf({ kind: 'command', input: { command: 'a \\\n  b' } })).toBe('a \\ b');
    expect(subjectOf({ kind: 'other', input: { url: 'x' } })).toBeUndefined();
  });

  test.each([
    ['command', { command: 'ls', cmd: 'rm -rf /' }, ['cmd']],
    ['command', { command: 'ls', description: 'List', script: 'rm' }, ['script']],
    ['other', { cmd: 'ls', command: ['ls', '/'] }, ['cmd']],
    ['edit', { file_path: 'a.ts', path: '/etc/passwd', content: 'x' }, ['path']],
    ['edit', { file_path: 'a.ts', old_string: 'a', new_string: 'b', content: 'c' }, ['content']],
    ['edit', { path: 'a.ts', edits: [{ old_string: 'a', new_string: 'b' }], content: 'c' }, ['content']],
  ] as const)('%s: fields that contradict what is shown are named: %j', (kind, input, fields) => {
    expect(viewOf({ kind, input })).toMatchObject({ rest: { isHarmless: false, contradictory: fields } });
  });

  test.each([
    { command: 'ls', cwd: '/etc' },
    { command: 'ls', args: ['-la'] },
    { command: 'ls', env: { PATH: '/tmp' } },
    { command: 'ls', CMD: 'rm' },
    { command: 'ls', timeout: { cmd: 'rm' } },
    { command: 'ls', run_in_background: true },
  ])('an unknown field is not harmless: %j', (input) => {
    expect(viewOf({ kind: 'command', input })).toMatchObject({
      rest: { isHarmless: false, contradictory: [] },
    });
  });

  test('what contradicts comes first, then what is unknown; the same value twice is no contradiction', () => {
    const input = { command: 'ls', description: 'List', cwd: '/', cmd: 'rm' };
    const view = viewOf({ kind: 'command', input });
    expect(view.kind === 'command' && Object.keys(view.rest?.values ?? {})).toEqual([
      'cmd',
      'cwd',
      'description',
    ]);
    const twice = { file_path: 'a.ts', path: 'a.ts', content: 'x' };
    expect(viewOf({ kind: 'edit', input: twice })).toMatchObject({
      rest: { isHarmless: true, contradictory: [] },
    });
  });
});
