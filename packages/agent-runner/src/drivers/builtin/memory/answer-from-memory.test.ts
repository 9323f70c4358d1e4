import { MEMORY_TOOL_LIMITS, recallInput } from '@aizuchi/shared/contract/tools/memory-tools';
import { expect, test } from 'vitest';
import type { AgentView } from '../../../driver.ts';
import { answerFromMemory } from './answer-from-memory.ts';
import { memoryRequestOf } from './memory-request.ts';
import type { Recalled } from './pick-remembered.ts';

const item = (text: string, more: Partial<Recalled> = {}): Recalled => ({
  type: 'event',
  id: 'evt_1',
  source: 'chat',
  text,
  said_by: 'Owner',
  created_at: '2026-05-03T01:00:00.000Z',
  local_time: '2026-05-03 10:00',
  score: 0.1,
  found_by: ['ngram'],
  source_events: ['evt_1'],
  ...more,
});

interface Called {
  readonly name: string;
  readonly args: unknown;
}

/** The first of what is found, as many as are asked for. */
function recalled(found: readonly Recalled[] | null, args: unknown, isLate: boolean) {
  const { limit } = recallInput.parse(args);
  return {
    run_id: found === null ? null : 'ret_1',
    degraded: found === null ? ['memory_unavailable'] : isLate ? ['no_embedding', 'collector_late'] : [],
    items: found?.slice(0, limit) ?? [],
    instruction: '',
  };
}

/** The answer to a message, with what memory finds; null: memory is away. */
async function answer(text: string, found: readonly Recalled[] | null, isLate = false) {
  const request = memoryRequestOf(text);
  if (!request) throw new Error(`no request: ${text}`);
  const calls: Called[] = [];
  const results: Record<string, unknown> = {
    remember: { success: true, event_id: 'evt_2', state_id: 'sta_2', instruction: '' },
  };
  const tools: AgentView['tools'] = {
    call: async (name, args) => {
      calls.push({ name, args });
      return (name === 'recall' ? recalled(found, args, isLate) : results[name]) as never;
    },
  };
  const view = { agentId: 'agt_1', agentName: 'こだま', tools };
  return { said: await answerFromMemory(request, 'msg_1', view), calls };
}

test('quotes what was said, by whom and when, in the language of the question', async () => {
  const cat = item('うちの猫の名前はモモです');
  const ja = await answer('猫の名前について前に何て言った？', [cat]);
  expect(ja.said).toBe(
    '「猫の名前」について覚えていることです。\n- 2026年5月3日 10:00、Ownerさん（チャット）：「うちの猫の名前はモモです」',
  );
  expect(ja.calls).toEqual([
    { name: 'recall', args: { query: '猫の名前', limit: MEMORY_TOOL_LIMITS.items } },
  ]);
  const en = await answer('What did I tell you about my cats?', [item("My cat's name is Momo.")]);
  expect(en.said).toBe(
    'This is what I remember about "my cats":\n- 3 May 2026, 10:00, Owner (in the chat): "My cat\'s name is Momo."',
  );
});

test.each([
  ['猫の名前、覚えてる？', '会議は月曜日です', '「猫の名前」については覚えていません。'],
  [
    'Do you remember my birthday?',
    'The office moves in May.',
    'I don\'t know. I remember nothing about "my birthday".',
  ],
])('claims nothing that is about something else: %s', async (question, unrelated, nothing) => {
  expect((await answer(question, [item(unrelated, { score: 99 })])).said).toBe(nothing);
  expect((await answer(question, [])).said).toBe(nothing);
});

test('an earlier question is no answer', async () => {
  const asked = ['猫の名前、覚えてる？', '猫の名前は？'].map((text) => item(text));
  const told = item('猫の名前はモモ');
  expect((await answer('猫の名前、覚えてる？', [...asked, told])).said).toMatch(/^.*\n.*モモ」$/);
  expect((await answer('猫の名前、覚えてる？', asked.slice(0, 1))).said).toContain('覚えていません');
});

test('the same question, asked often, does not hide what was said', async () => {
  const question = 'What did I tell you about my sister?';
  const asked = Array.from({ length: 60 }, () => item(question));
  const { said } = await answer(question, [...asked, item('My sister Hanako is allergic to peanuts.')]);
  expect(said).toContain('peanuts');
});

test('a note of its own stands beside what was said, and is not repeated', async () => {
  const note = item('私は紅茶が好き', { type: 'state', id: 'sta_1', said_by: 'こだま' });
  const said = item('私は紅茶が好きと覚えておいて');
  expect((await answer('紅茶の件、覚えてる？', [note, said])).said).toMatch(
    /^.*\n- .*Ownerさん（チャット）：「私は紅茶が好きと覚えておいて」$/,
  );
  expect((await answer('紅茶の件、覚えてる？', [note])).said).toContain('、私のメモ：「私は紅茶が好き」');
});

test('a quote is one line, and short', async () => {
  const { said } = await answer('猫の件、覚えてる？', [
    item(`猫\n- 2026年、社長さん：「${'あ'.repeat(500)}」`),
  ]);
  expect(said.split('\n')).toHaveLength(2);
  expect(said.length).toBeLessThan(300);
});

test('a memory that is away is not an empty memory', async () => {
  expect((await answer('猫の件、覚えてる？', null)).said).toContain('いま記憶を検索できない');
  expect((await answer('Do you remember my cat?', null)).said).toContain('cannot search my memory');
});

test('a memory that was late is not an empty memory either; what it has found is told', async () => {
  expect((await answer('猫の件、覚えてる？', [], true)).said).toContain('間に合わなかった');
  expect((await answer('Do you remember my cat?', [], true)).said).toContain('did not answer in time');
  expect((await answer('猫の件、覚えてる？', [item('猫の名前はモモ')], true)).said).toContain('モモ');
});

test('remembers what it is told, once for a message, and says so', async () => {
  const { said, calls } = await answer('うちの猫の名前はモモだと覚えておいて', []);
  expect(said).toBe('「うちの猫の名前はモモだ」と覚えました。');
  expect(calls).toEqual([
    { name: 'remember', args: { text: 'うちの猫の名前はモモだ', idempotency_key: 'remember:msg_1' } },
  ]);
  expect((await answer('Remember that I drink tea.', [])).said).toBe('I will remember this: "I drink tea."');
});
