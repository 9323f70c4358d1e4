import { expect, test } from 'vitest';
import type { TurnEvent } from '../../turn-events.ts';
import { parseClaudeMessage } from './claude-message.ts';
import { en } from './texts.en.ts';
import { TurnTranslator } from './turn-translator.ts';

/** The answer as the runner puts it together from the events of these messages. */
function translate(messages: readonly unknown[], isOver = true) {
  const translator = new TurnTranslator({ texts: en, cwd: '/work' });
  const events: TurnEvent[] = messages.flatMap((message) => translator.take(parseClaudeMessage(message)));
  if (isOver) events.push(...translator.finish());
  let answer = '';
  for (const event of events) {
    if (event.type === 'text') answer += event.text;
    if (event.type === 'truncate') answer = answer.slice(0, event.length);
  }
  const steps = events.flatMap((event) => (event.type === 'step' ? [event.step] : []));
  return { translator, events, answer, steps };
}

const stream = (event: object) => ({ type: 'stream_event', event, parent_tool_use_id: null });
const begins = (id: string) => stream({ type: 'message_start', message: { id, model: 'claude-x' } });
const opens = (type: string, index = 0) =>
  stream({ type: 'content_block_start', index, content_block: { type } });
const writes = (text: string, index = 0) =>
  stream({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } });
const closes = (index = 0) => stream({ type: 'content_block_stop', index });
const ends = () => stream({ type: 'message_stop' });
const says = (id: string, ...content: object[]) => ({
  type: 'assistant',
  message: { id, model: 'claude-x', content },
  parent_tool_use_id: null,
});
const text = (text: string) => ({ type: 'text', text });
const streamed = (id: string, ...pieces: string[]) => [
  opens('text'),
  ...pieces.map((piece) => writes(piece)),
  says(id, text(pieces.join(''))),
  closes(),
];
const use = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input });
const result = (tool_use_id: string, content: unknown, output: unknown, is_error = false) => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id, content, is_error }] },
  tool_use_result: output,
  parent_tool_use_id: null,
});
const retry = {
  type: 'system',
  subtype: 'api_retry',
  attempt: 1,
  max_retries: 2,
  error_status: null,
  error: 'unknown',
};

test('texts of several messages are paragraphs of one answer', () => {
  const { events, answer } = translate([
    begins('m1'),
    ...streamed('m1', 'I ', 'look.'),
    says('m1', use('t1', 'Read', { file_path: '/work/a.ts' })),
    ends(),
    result('t1', 'content', { type: 'text' }),
    begins('m2'),
    ...streamed('m2', 'Done.'),
    ends(),
  ]);
  expect(answer).toBe('I look.\n\nDone.');
  expect(events.filter(({ type }) => type === 'truncate')).toEqual([]);
});

test('a stream that broke is taken back at once, and its retry is a step', () => {
  const { events, answer } = translate([
    begins('m1'),
    opens('text'),
    writes('The first half'),
    closes(),
    ends(),
    retry,
    begins('m2'),
    ...streamed('m2', 'The whole'),
    ends(),
  ]);
  expect(answer).toBe('The whole');
  expect(events.map(({ type }) => type)).toEqual(['text', 'truncate', 'step', 'step', 'text']);
});

test('a block that was whole stays when the next one breaks', () => {
  const { answer } = translate([
    begins('m1'),
    ...streamed('m1', 'Block one.'),
    opens('text', 1),
    writes('broken', 1),
    closes(1),
    ends(),
    begins('m2'),
    ...streamed('m2', 'Block two.'),
    ends(),
  ]);
  expect(answer).toBe('Block one.\n\nBlock two.');
});

test('an answer that came unstreamed replaces what was streamed', () => {
  const { answer } = translate([
    begins('m1'),
    opens('text'),
    writes('half'),
    closes(),
    ends(),
    retry,
    says('m2', text('The whole answer')),
  ]);
  expect(answer).toBe('The whole answer');
});

test('what is open at the end is taken back, and its steps have failed', () => {
  const { answer, steps } = translate([
    begins('m1'),
    ...streamed('m1', 'I start.'),
    says('m1', use('t1', 'Bash', { command: 'sleep 9' })),
    ends(),
    begins('m2'),
    opens('text'),
    writes('never whole'),
  ]);
  expect(answer).toBe('I start.');
  expect(steps.map(({ status }) => status)).toEqual(['running', 'failed']);
});

test('an answer that the safeguards of the model stopped is withdrawn', () => {
  const { answer } = translate([
    begins('m1'),
    ...streamed('m1', 'I ca'),
    ends(),
    { type: 'user', message: { content: [text('stopped')] }, refused_message_id: 'm1' },
    begins('m2'),
    ...streamed('m2', 'Not that.'),
    ends(),
  ]);
  expect(answer).toBe('Not that.');
});

test('a thought is a step while it is thought, also when the model keeps it to itself', () => {
  const thinks = (thinking: string) => [
    opens('thinking'),
    says('m1', { type: 'thinking', thinking }),
    closes(),
  ];
  const { steps } = translate([begins('m1'), ...thinks('First this.'), ...thinks('')]);
  expect(steps).toEqual([
    { id: 'thought-1', kind: 'thought', title: 'Thought', status: 'running' },
    { id: 'thought-1', kind: 'thought', title: 'Thought', status: 'done', detail: 'First this.' },
    { id: 'thought-2', kind: 'thought', title: 'Thought', status: 'running' },
    { id: 'thought-2', kind: 'thought', title: 'Thought', status: 'done' },
  ]);
});

test('a tool with the name of a part of every object is a tool like others', () => {
  const { steps } = translate([begins('m1'), says('m1', use('t1', 'constructor', {}))]);
  expect(steps.map(({ kind }) => kind)).toEqual(['tool', 'tool']);
});

test('of a subagent only the number of its tool calls is shown', () => {
  const inner = (message: object) => ({ ...message, parent_tool_use_id: 't1' });
  const { steps, answer } = translate([
    begins('m1'),
    says('m1', use('t1', 'Agent', { description: 'Read the docs', prompt: 'long' })),
    inner(says('i1', text('Inside.'), use('t2', 'Read', { file_path: 'x' }))),
    inner(says('i2', use('t3', 'Grep', { pattern: 'y' }))),
    result('t1', [text('The report')], { content: [] }),
  ]);
  expect(answer).toBe('');
  expect(steps.map(({ title, detail, status }) => [title, detail, status])).toEqual([
    ['Gave a subagent: Read the docs', undefined, 'running'],
    ['Gave a subagent: Read the docs', '1 tool calls', 'running'],
    ['Gave a subagent: Read the docs', '2 tool calls', 'running'],
    ['Gave a subagent: Read the docs', 'The report', 'done'],
  ]);
});

test('the context is shortened: one step from the beginning to the end', () => {
  const { steps } = translate([
    { type: 'system', subtype: 'status', status: 'compacting' },
    { type: 'system', subtype: 'status', status: null, compact_result: 'success' },
    { type: 'system', subtype: 'compact_boundary', compact_metadata: { pre_tokens: 900, post_tokens: 30 } },
  ]);
  expect(steps).toEqual([
    { id: 'compaction', kind: 'other', title: 'Shortening the context', status: 'running' },
    {
      id: 'compaction',
      kind: 'other',
      title: 'Shortened the context from 900 to 30 tokens',
      status: 'done',
    },
  ]);
});

test('an error in place of an answer is no text', () => {
  const { answer, translator } = translate([
    { ...says('s1', text('API Error: boom')), error: 'server_error' },
  ]);
  expect(answer).toBe('');
  expect(translator.error).toEqual({ kind: 'server_error', text: 'API Error: boom' });
});

test.each([
  [{}, 'conv_1', true],
  [{ conversation_id: 'conv_1' }, 'conv_1', true],
  [{ conversation_id: 'conv_2' }, 'conv_1', false],
])('the end of a conversation by the tool %j', (input, id, expected) => {
  const name = 'mcp__aizuchi__end_conversation';
  const { translator } = translate([says('m1', use('t1', name, input)), result('t1', '{}', undefined)]);
  expect(translator.hasEnded(id)).toBe(expected);
  const refused = translate([says('m1', use('t1', name, input)), result('t1', 'no', 'no', true)]);
  expect(refused.translator.hasEnded(id)).toBe(false);
});

test.each([
  ['nothing', undefined],
  ['a text', 'rubbish'],
  ['an unknown type', { type: 'later', subtype: 'version' }],
  ['an unknown block', says('m1', { type: 'hologram' })],
  ['an unknown event', stream({ type: 'ping' })],
  ['an assistant without content', { type: 'assistant', message: { id: 'm1' } }],
])('%s of another version of the program is ignored', (_, message) => {
  expect(translate([message]).events).toEqual([]);
});
