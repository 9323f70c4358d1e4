import type { ToolInput } from '@aizuchi/shared/contract/tools/tools';
import { ToolRefused } from '@aizuchi/shared/mcp-client/tool-errors';
import { describe, expect, test } from 'vitest';
import { partsOf } from './parts-of.ts';
import { splitRequestOf } from './split-request.ts';
import { splitTask } from './split-task.ts';

describe('who wants a task to be split', () => {
  test.each<[string, string | undefined, string | null | undefined]>([
    ['Split this', 'tsk_a', 'tsk_a'],
    ['Please split the task tsk_b2 up', undefined, 'tsk_b2'],
    ['このタスクを分割してください', 'tsk_a', 'tsk_a'],
    ['「引っ越し（tsk_b2）」を小さく分けて', undefined, 'tsk_b2'],
    ['break it down', 'tsk_a', 'tsk_a'],
    ['このタスクを分割して', undefined, null],
    ['How is the task going?', 'tsk_a', undefined],
    ['Banana split', undefined, undefined],
  ])('%s (%s)', (content, relatedTaskId, expected) => {
    expect(splitRequestOf({ content, ...(relatedTaskId !== undefined && { relatedTaskId }) })).toBe(expected);
  });
});

test('items are parts; numbered ones wait for the one before, ticked ones are left out', () => {
  expect(partsOf('Plan:\n- [ ] one\n- [x] ticked\n* two\n・三\n1. first\n2) second\nno item')).toEqual({
    parts: [
      { title: 'one', depends_on: [] },
      { title: 'two', depends_on: [] },
      { title: '三', depends_on: [] },
      { title: 'first', depends_on: [] },
      { title: 'second', depends_on: [4] },
    ],
    left: 0,
  });
  expect(partsOf('- a\n'.repeat(23))).toMatchObject({ left: 3 });
});

describe('the answer', () => {
  const ask = async (description: string, propose: () => unknown = () => ({ success: true })) => {
    const proposed: ToolInput<'propose_subtasks'>[] = [];
    const tools = {
      call: async (name: string, input: unknown) => {
        if (name === 'get_task') return { task: { title: 'Move house', description } } as never;
        proposed.push(input as never);
        return propose() as never;
      },
    };
    const reply = await splitTask('tsk_a', { messageId: 'msg_1', language: 'en' }, { tools });
    return { reply, proposed };
  };

  test('says what was proposed, once for a message', async () => {
    const { reply, proposed } = await ask('1. Pack\n2. Carry');
    expect(reply).toContain('2 parts of "Move house"');
    expect(proposed).toMatchObject([{ task_id: 'tsk_a', idempotency_key: 'split:msg_1' }]);
  });

  test('or why not', async () => {
    expect((await ask('Just do it.')).reply).toContain('holds no list');
    const refused = await ask('- a', () => {
      throw new ToolRefused('proposal_open', 'Leave it.');
    });
    expect(refused.reply).toContain('Another agent has proposed parts');
  });
});
