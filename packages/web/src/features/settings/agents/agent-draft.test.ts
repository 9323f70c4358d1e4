import { createAgentBodySchema, updateAgentBodySchema } from '@aizuchi/shared/contract/agent';
import { describe, expect, test } from 'vitest';
import { agentDraftOf, createBodyOf, needsRestart, updateBodyOf } from './agent-draft.ts';

const empty = agentDraftOf(undefined);
const command = { ...empty, name: 'Runner', provider: 'command' as const, file: ' /usr/bin/node ' };

describe('the body for a new agent', () => {
  test('has only what was filled in', () => {
    expect(createBodyOf({ ...empty, name: ' Worker ' }, '')).toEqual({
      type: 'ai',
      name: 'Worker',
      provider: 'builtin',
      labels: [],
    });
  });

  test('has one argument for each line; spaces are kept, a final line break is ignored', () => {
    const body = createBodyOf({ ...command, args: '--flag\nwith space\n\nend\n' }, 'runner');
    expect(body.command).toEqual({
      file: '/usr/bin/node',
      args: ['--flag', 'with space', '', 'end'],
      mode: 'resident',
    });
    expect(createAgentBodySchema.safeParse(body).success).toBe(true);
  });

  test('has each label once, with ASCII and Japanese commas', () => {
    expect(createBodyOf({ ...empty, name: 'A', labels: 'gpu、 linux, gpu,' }, '').labels).toEqual([
      'gpu',
      'linux',
    ]);
  });
});

describe('an update', () => {
  test('clears emptied fields with null, and the command when the provider changes', () => {
    const body = updateBodyOf({ ...command, provider: 'builtin' });
    expect(body).toMatchObject({ role: null, systemPrompt: null, command: null });
    expect(updateAgentBodySchema.safeParse(body).success).toBe(true);
  });

  test('of prompt, provider or command needs a restart; of the name it does not', () => {
    expect(needsRestart(command, { ...command, name: 'Other', labels: 'x', role: 'y' })).toBe(false);
    expect(needsRestart(command, { ...command, systemPrompt: 'Be brief.' })).toBe(true);
    expect(needsRestart(command, { ...command, args: '--more' })).toBe(true);
    expect(needsRestart(command, { ...command, provider: 'builtin' })).toBe(true);
    expect(needsRestart(empty, { ...empty, file: 'left over' })).toBe(false);
  });
});
