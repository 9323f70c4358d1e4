import { createAgentBodySchema } from '@aizuchi/shared/contract/agent';
import { describe, expect, test } from 'vitest';
import { agentDraftOf, createBodyOf } from './agent-draft.ts';
import { AGENT_PRESETS, filledIn, presetOf } from './agent-presets.ts';

const EMPTY = { ...agentDraftOf(undefined), provider: 'acp' as const };

describe.each(AGENT_PRESETS)('the preset $id', (preset) => {
  test('is a whole agent with one click', () => {
    const body = createBodyOf({ ...EMPTY, ...filledIn(preset, EMPTY) }, '');
    expect(createAgentBodySchema.parse(body)).toEqual({
      type: 'ai',
      name: preset.name,
      provider: 'acp',
      labels: [],
      command: { file: preset.file, args: preset.args },
    });
  });

  test('keeps a name that a person has written, and replaces that of another preset', () => {
    expect(filledIn(preset, { name: 'Reviewer' })).not.toHaveProperty('name');
    for (const { name } of AGENT_PRESETS) expect(filledIn(preset, { name }).name).toBe(preset.name);
  });

  test('is known by its program, wherever that is', () => {
    expect(presetOf({ file: preset.file })).toBe(preset);
    expect(presetOf({ file: ` /opt/bin/${preset.file} ` })).toBe(preset);
  });
});

test('another program is of no preset', () => {
  expect(presetOf({ file: '/opt/my-agent' })).toBeUndefined();
  expect(presetOf({ file: '' })).toBeUndefined();
});
