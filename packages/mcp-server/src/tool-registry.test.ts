import { TOOL_NAMES, TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { describe, expect, test } from 'vitest';
import { TOOL_LIST, TOOL_REGISTRY } from './tool-registry.ts';

describe('the tools', () => {
  test('names, texts and schemas are pinned: existing agents were written for them', async () => {
    await expect(`${JSON.stringify(TOOL_LIST, null, 2)}\n`).toMatchFileSnapshot('./tool-list.pin.txt');
  });

  test('every tool has title, description, both schemas and annotations', () => {
    expect(TOOL_LIST.map(({ name }) => name).sort()).toEqual([...TOOL_NAMES].sort());
    for (const tool of TOOL_LIST) {
      expect(tool.title.length, tool.name).toBeGreaterThan(2);
      expect(tool.description.length, tool.name).toBeGreaterThan(40);
      expect(tool.inputSchema, tool.name).toMatchObject({ type: 'object', additionalProperties: false });
      expect(tool.outputSchema, tool.name).toMatchObject({ type: 'object' });
      expect(Object.keys(tool.annotations).sort(), tool.name).toEqual([
        'destructiveHint',
        'idempotentHint',
        'openWorldHint',
        'readOnlyHint',
        'title',
      ]);
    }
  });

  test.each(TOOL_NAMES)('%s accepts the callers that the contract names', (name) => {
    expect(TOOL_REGISTRY[name]).toMatchObject({ name, audience: TOOLS[name].audience });
  });
});
