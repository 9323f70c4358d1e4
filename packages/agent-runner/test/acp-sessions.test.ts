import type { Conversation } from '@aizuchi/shared/contract/conversation';
import type { ToolName } from '@aizuchi/shared/contract/tools/tool-texts';
import { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import { ScriptedMcpServer, type ToolScript } from '@aizuchi/shared/testing/scripted-mcp-server';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { SessionOptions } from '../src/driver.ts';
import { CLAUDE_RETRIES, CLAUDE_TIMEOUTS } from '../src/drivers/claude-waits.ts';
import { AcpWorld, lastSteps, scriptOf, TOKEN } from './acp-world.ts';
import { CONVERSATION } from './claude-world.ts';
import { AGENT_ID, message, PACK } from './runner-world.ts';

/* How the session of an ACP agent is opened, set up, and continued after a crash. */

let world: AcpWorld;
beforeAll(async () => {
  world = await AcpWorld.make();
});
afterEach(() => world.reset());
afterAll(() => world.close());

const MODES = {
  modes: {
    currentModeId: 'auto',
    availableModes: [
      { id: 'auto', name: 'Auto' },
      { id: 'default', name: 'Default' },
      { id: 'acceptEdits', name: 'Accept edits' },
    ],
  },
};
const option = (id: string, currentValue: string, ...values: string[]) => ({
  id,
  name: id,
  category: id,
  type: 'select',
  currentValue,
  options: values.map((value) => ({ value, name: `The ${value}` })),
});
const ONCE = { optionId: 'once', name: 'Allow', kind: 'allow_once' } as const;
const CLAUDE = '@agentclientprotocol/claude-agent-acp';

test('it is opened with the tools of a model only, in its folder, and the token in a header', async () => {
  await world.turn(await world.open(), 'Hello');
  expect(await world.requests('session/new')).toEqual([
    {
      cwd: world.folder,
      mcpServers: [
        {
          type: 'http',
          name: 'aizuchi',
          url: 'http://127.0.0.1:9/mcp?tools=workspace',
          headers: [{ name: 'Authorization', value: `Bearer ${TOKEN}` }],
        },
      ],
    },
  ]);
  const [{ clientCapabilities } = {}] = await world.requests('initialize');
  expect(clientCapabilities).toMatchObject({
    elicitation: { form: {} },
    session: { notices: {}, compaction: {} },
    fs: { readTextFile: false, writeTextFile: false },
    terminal: false,
  });
});

test('a session that is closed starts no program for a turn that comes late', async () => {
  const session = await world.open();
  await world.turn(session, 'Hello');
  await session.close();
  expect((await world.turn(session, 'And now?')).end).toMatchObject({ reason: 'failed' });
  expect(await world.requests('initialize')).toHaveLength(1);
});

test('an agent without MCP over HTTP works without our tools, and the log says so', async () => {
  await world.turn(await world.open({ agent: { http: false } }), 'Hello');
  expect(await world.requests('session/new')).toMatchObject([{ mcpServers: [] }]);
  expect(world.logged.join('\n')).toMatch(/has no tools of Aizuchi/);
});

test('the first prompt says what the agent is; the next ones are as they were written', async () => {
  const session = await world.open({ session: { systemPrompt: 'Be brief.' } });
  await world.turn(session, 'Hello');
  await world.turn(session, '/help me');
  const [first, second] = await world.prompts();
  expect(first).toMatch(
    /^<instructions>\n# Aizuchi\nYou are Aiko,[\s\S]*Be brief\.\n<\/instructions>\n\nHello$/,
  );
  expect(second).toBe('/help me');
});

test('several people are told apart, and messages of another agent are marked', async () => {
  const session = await world.open({
    session: { tools: { call: () => Promise.reject(new Error('not asked')) } },
  });
  await world.turn(session, 'Hello');
  const messages = [
    message('m1', 'One.', { humanId: 'u1', senderName: 'Ann' }),
    message('m2', 'Two.', { humanId: 'u2', senderName: 'Ben' }),
  ];
  await world.turn(session, '', { messages });
  const source = { kind: 'conversation', conversation_id: 'conv_1', agent_id: 'agt_2' } as const;
  await world.turn(session, '', {
    messages: [message('m3', 'Your turn.', { senderName: 'Kodama' })],
    source,
  });
  const [, two, three] = await world.prompts();
  expect(two).toBe('Ann: One.\n\nBen: Two.');
  expect(three).toMatch(/^<conversation id="conv_1" agent="agt_2">\nKodama: Your turn\.\n<\/conversation>\n/);
});

test('a mode is set in which it asks about each edit and command: the policy of the project may change', async () => {
  const session = await world.open({ agent: { name: CLAUDE, session: MODES } });
  await world.turn(session, 'Hello');
  expect(await world.requests('session/set_mode')).toMatchObject([{ modeId: 'default' }]);
});

test('a program without a known mode in which it asks: the person is told once, at the first turn', async () => {
  const tools = { call: () => Promise.reject(new Error('not asked')) };
  const modes = {
    currentModeId: 'yolo',
    availableModes: [
      { id: 'yolo', name: 'All' },
      { id: 'plan', name: 'Plan' },
    ],
  };
  const session = await world.open({
    agent: { program: 'new-agent', session: { modes } },
    session: { tools },
  });
  const source = { kind: 'conversation', conversation_id: 'conv_1', agent_id: 'agt_2' } as const;
  expect(lastSteps(await world.turn(session, 'Hello', { source }))).toEqual([]);
  const first = await world.turn(session, 'Hello');
  expect(lastSteps(first)).toEqual([
    {
      id: 'may-not-ask',
      kind: 'other',
      title: expect.stringMatching(/may act without asking: none of its modes \(yolo, plan\)/),
      status: 'done',
    },
  ]);
  expect(lastSteps(await world.turn(session, 'こんにちは'))).toEqual([]);
  const without = await world.open({ agent: { session: {} } });
  const japanese = await world.turn(without, 'こんにちは');
  expect(lastSteps(japanese)).toMatchObject([
    { title: expect.stringMatching(/許可を求めずに.*モード：なし/) },
  ]);
});

test('a mode that is a config option, and one that is set already', async () => {
  const configOptions = [option('mode', 'agent', 'agent', 'read-only'), option('model', 'm1', 'm1')];
  const codex = await world.open({ agent: { name: 'codex-acp', session: { configOptions } } });
  await world.turn(codex, 'Hello');
  expect(await world.requests('session/set_config_option')).toMatchObject([
    { configId: 'mode', value: 'read-only' },
  ]);
  const asking = { modes: { ...MODES.modes, currentModeId: 'default' } };
  await world.turn(await world.open({ agent: { session: asking } }), 'Hello');
  expect(await world.requests('session/set_mode')).toEqual([]);
});

test('the model of the agent is set, by its id or its name', async () => {
  const configOptions = [option('model', 'small', 'small', 'large')];
  const agent = { session: { configOptions } };
  await world.turn(await world.open({ agent, host: { model: 'large' } }), 'Hello');
  await world.turn(await world.open({ agent, host: { model: 'the LARGE' } }), 'Hello');
  const set = { configId: 'model', value: 'large' };
  expect(await world.requests('session/set_config_option')).toMatchObject([set, set]);
});

test('the model is set as Gemini CLI wants it', async () => {
  const models = {
    currentModelId: 'auto',
    availableModels: [{ modelId: 'auto', name: 'Auto' }, { modelId: 'pro' }],
  };
  await world.turn(await world.open({ agent: { session: { models } }, host: { model: 'pro' } }), 'Hello');
  expect(await world.requests('session/set_model')).toMatchObject([{ modelId: 'pro' }]);
});

test('the models that it offers are reported when it is started, before anything is asked of it', async () => {
  const choices = option('model', 'small', 'small', 'large');
  const models = { availableModels: [{ modelId: 'auto', name: 'Auto', description: 'As it fits' }] };
  for (const session of [{ configOptions: [choices] }, { models }, {}])
    await world.open({ agent: { session } });
  await expect
    .poll(() => [...world.models].sort((one, other) => one.length - other.length))
    .toMatchObject([
      [],
      [{ id: 'auto', name: 'Auto', about: 'As it fits' }],
      [
        { id: 'small', name: 'The small' },
        { id: 'large', name: 'The large' },
      ],
    ]);
  expect(await world.prompts()).toEqual([]);
});

test('a model that there is not: the person reads which there are, and nothing is asked of the agent', async () => {
  const configOptions = [option('model', 'small', 'small', 'large')];
  const session = await world.open({ agent: { session: { configOptions } }, host: { model: 'huge' } });
  expect((await world.turn(session, 'Hello')).sentence).toMatch(/no model "huge". It has: small, large\./);
  const without = await world.open({ host: { model: 'huge' } });
  expect((await world.turn(without, 'Hello')).sentence).toMatch(/cannot be chosen here/);
  expect(await world.prompts()).toEqual([]);
});

test.each([
  ['gemini', 'GEMINI_API_KEY=key-123', 'GEMINI_CLI_NO_RELAUNCH=1'],
  ['claude-agent-acp', 'ANTHROPIC_API_KEY=key-123', 'CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION=false'],
  ['codex-acp', 'OPENAI_API_KEY=key-123', 'NO_BROWSER=1'],
])(
  '%s gets the key of the agent, and what switches off its extra work, as variables',
  async (program, key, other) => {
    const session = await world.open({ agent: { program }, host: { apiKey: 'key-123' } });
    const variable = (pair: string) => ({ variable: pair.slice(0, pair.indexOf('=')) });
    const { text } = await world.turn(session, [variable(key), variable(other)]);
    expect(text).toBe(`${key}${other}`);
  },
);

test('Claude behind its adapter lets a person wait no longer than behind our own driver', async () => {
  const variables = [...Object.entries(CLAUDE_RETRIES), ...Object.entries(CLAUDE_TIMEOUTS)];
  const asked = variables.map(([variable]) => ({ variable }));
  const agent = { program: 'claude-agent-acp' };
  const { text } = await world.turn(await world.open({ agent }), asked);
  expect(text).toBe(variables.map((pair) => pair.join('=')).join(''));
  expect(text).toContain('CLAUDE_CODE_MAX_RETRIES=2');
  const env = { PATH: process.env.PATH, API_TIMEOUT_MS: '300000', CLAUDE_CODE_MAX_RETRIES: '10' };
  const raised = await world.turn(await world.open({ agent, host: { env } }), asked);
  expect(raised.text).toMatch(/CLAUDE_CODE_MAX_RETRIES=2.*API_TIMEOUT_MS=300000/);
});

test.each([
  ['claude-agent-acp', {}],
  // It names itself; only then is known what it needs.
  ['index.js', { apiKey: 'key-123' }],
])(
  'Claude’s adapter as %s fills the token in itself: it shows headers in its arguments',
  async (program, host) => {
    const session = await world.open({ agent: { name: CLAUDE, program }, host });
    const result = await world.turn(session, [
      { variable: 'AIZUCHI_SESSION_TOKEN' },
      ...('apiKey' in host ? [{ variable: 'ANTHROPIC_API_KEY' }] : []),
    ]);
    const key = 'apiKey' in host ? `ANTHROPIC_API_KEY=${host.apiKey}` : '';
    expect(result.text).toBe(`AIZUCHI_SESSION_TOKEN=${TOKEN}${key}`);
    const asked = JSON.stringify(await world.requests('session/new'));
    expect(asked).toMatch(/Bearer \$\{AIZUCHI_SESSION_TOKEN\}/);
    expect(asked).not.toContain(TOKEN);
    expect(asked).toContain('You are Aiko');
    expect(await world.prompts()).toEqual([expect.not.stringContaining('You are Aiko')]);
  },
);

const RESUMED = { continues: 'load' } as const;
/** For one that replays what was said: the process may be held up before it begins. */
const LATE = { replayBeginsMs: 60_000 };

test.each(['load', 'load, replayed late', 'resume'] as const)(
  'after a crash the session is continued by %s, and nothing that is replayed is shown',
  async (continues) => {
    const name = continues === 'load, replayed late' ? 'gemini-cli' : 'other';
    // Made long ago: Gemini CLI would erase a session of this minute.
    const before = await world.open({ agent: { continues, name }, host: { now: () => 0 } });
    await world.turn(before, 'Remember the number 7.');
    await before.close();
    const [resume = ''] = world.remembered;
    const after = await world.open({ agent: { continues, name }, session: { resume }, limits: LATE });
    const messages = [message('m1', scriptOf([{ history: true }]), { redelivered: true })];
    const result = await world.turn(after, '', { messages, context: [message('m0', 'Earlier.')] });
    expect(result.text).toMatch(/Remember the number 7\.$/);
    const said = (await world.prompts())[1];
    expect(said).toMatch(/^<note>\nYou were given what follows before/);
    expect(said).not.toMatch(/Earlier|<instructions>/);
  },
);

test('a session that is gone: a new one begins, and is told what was said before', async () => {
  const resume = JSON.stringify({ sessionId: 'gone', command: 'other', madeAt: 0 });
  const before = await world.open({ agent: RESUMED });
  await world.turn(before, 'Hello');
  const made = JSON.parse(world.remembered[0] ?? '') as { sessionId: string };
  for (const token of [resume, 'rubbish', JSON.stringify({ ...made, sessionId: 'gone' })]) {
    const session = await world.open({ agent: RESUMED, session: { resume: token } });
    await world.turn(session, 'And now?', { context: [message('m0', 'Earlier.', { senderName: 'Ann' })] });
    expect((await world.prompts()).at(-1)).toMatch(/<earlier>\nAnn: Earlier\.\n<\/earlier>\n\nAnd now\?$/);
  }
  expect(world.remembered).toHaveLength(4);
});

test('what memory holds stands before the message, but not before a command', async () => {
  const session = await world.open();
  await world.turn(session, 'My cat?', { memory: PACK });
  await world.turn(session, '/compress', { memory: PACK });
  const [asked, command] = await world.prompts();
  expect(asked).toMatch(/<memory>\n.*2026-05-03 10:00, Owner: My cat is Momo\.\n<\/memory>\n\nMy cat\?$/s);
  expect(command).not.toContain('<memory>');
});

test('without a session to continue nothing earlier is told: a person may have asked for a fresh context', async () => {
  await world.turn(await world.open(), 'Hello', { context: [message('m0', 'Earlier.')] });
  expect((await world.prompts())[0]).not.toContain('Earlier');
});

test('Gemini CLI erases a session that is loaded in the minute in which it was made: it is not loaded', async () => {
  const agent = { continues: 'load', name: 'gemini-cli' } as const;
  const minute = 60_000;
  const before = await world.open({ agent, host: { now: () => 10 * minute } });
  await world.turn(before, 'Hello');
  const [resume = ''] = world.remembered;
  const reopen = async (now: number) => {
    const session = await world.open({ agent, session: { resume }, host: { now: () => now } });
    await world.turn(session, 'Again', { context: [message('m0', 'Earlier.')] });
    return (await world.prompts()).at(-1);
  };
  expect(await reopen(11 * minute - 1)).toContain('Earlier.');
  expect(await world.requests('session/load')).toEqual([]);
  expect(await reopen(11 * minute)).toBe('Again');
  expect(await world.requests('session/load')).toHaveLength(1);
});

test('what is replayed late is waited for: it is no part of the next answer, however long that takes', async () => {
  const agent = { continues: 'load, replayed late', name: 'gemini-cli' } as const;
  await world.turn(await world.open({ agent, host: { now: () => 0 } }), 'Hello');
  const resume = world.remembered.at(-1) ?? '';
  const host = { now: () => 60_000 };
  const session = await world.open({ agent, session: { resume }, host, limits: LATE });
  const { text } = await world.turn(session, [{ permission: { toolCallId: 'c' }, options: [ONCE] }], {
    approve: async () => {
      await world.untilRequest('replayed');
      return { decision: 'allow_once' };
    },
  });
  expect(text).toBe('[once]');
});

test('one that reports something all the time after it was loaded is waited for only for a while', async () => {
  const agent = { continues: 'load, reporting all the time', name: 'gemini-cli' } as const;
  await world.turn(await world.open({ agent, host: { now: () => 0 } }), 'Hello');
  const resume = world.remembered.at(-1) ?? '';
  const later = { agent, session: { resume }, host: { now: () => 60_000 }, limits: { replayMs: 1_000 } };
  expect((await world.turn(await world.open(later), [{ say: 'Here.' }])).text).toBe('Here.');
  expect(await world.requests('session/load')).toHaveLength(1);
});

test('nor is one that was loaded before: a new one begins, which can be loaded again', async () => {
  const agent = { continues: 'load', name: 'gemini-cli' } as const;
  let minute = 10;
  const reopen = async () => {
    const now = 60_000 * minute;
    minute += 1;
    const resume = world.remembered.at(-1);
    const session = await world.open({ agent, session: resume ? { resume } : {}, host: { now: () => now } });
    await world.turn(session, 'Hello', { context: [message('m0', 'Earlier.')] });
    return (await world.prompts()).at(-1)?.includes('Earlier.');
  };
  expect([await reopen(), await reopen(), await reopen(), await reopen()]).toEqual([
    false,
    false,
    true,
    false,
  ]);
  expect(await world.requests('session/load')).toHaveLength(2);
});

let server: ScriptedMcpServer | undefined;
afterEach(() => server?.close());

/** The tools of the session for a conversation in this state, and what the agent wrote to the person. */
async function conversation(state: Conversation['state'], initiatorAgentId: string) {
  const { url, callsOf } = await serve({
    get_conversation_messages: () => ({
      conversation: { ...CONVERSATION, state, initiatorAgentId },
      messages: [],
      has_more: false,
      total_count: 0,
    }),
    send_message: ({ content }) => ({ success: true, message: message('m', content), instruction: '' }),
  });
  const client = new ToolClient({ url, token: TOKEN, name: 'acp-test', version: '1' });
  const tools: SessionOptions['tools'] = { call: (name, args) => client.callUntilAnswered(name, args) };
  return { tools, sent: () => callsOf('send_message').map(({ args }) => args) };
}

async function serve(script: ToolScript) {
  const serving = await new ScriptedMcpServer(script).start();
  server = serving;
  return { url: serving.url, callsOf: (tool: ToolName) => serving.callsOf(tool) };
}

const OVER = { id: 'conv_1', reason: 'time', unread: [message('m1', 'Bye.', { senderName: 'Kodama' })] };

test('a conversation that this agent began has ended: it reports to the person, without asking anybody', async () => {
  const { sent, tools } = await conversation('ended', AGENT_ID);
  const session = await world.open({ session: { tools } });
  await session.conversationOver?.(OVER);
  expect(sent()).toEqual([
    { target_agent_id: 'user', content: expect.any(String), idempotency_key: 'report:conv_1' },
  ]);
  expect((await world.prompts())[0]).toMatch(
    /<note>\nThe conversation conv_1 about "the release" has ended \(time\)[\s\S]*Kodama: Bye\.\n<\/note>\n\nWrite now/,
  );
});

test('a program that died before it heard its first prompt is told what it is, and what it was to hear', async () => {
  const { tools } = await conversation('ended', 'agt_2');
  const session = await world.open({ agent: { continues: 'load' }, session: { tools } });
  await session.conversationOver?.(OVER);
  await world.turn(session, [{ die: 'out of memory' }]);
  await world.turn(session, 'Hello');
  expect(await world.requests('session/load')).toHaveLength(1);
  expect((await world.prompts()).at(-1)).toMatch(
    /^<instructions>[\s\S]*The conversation conv_1 [\s\S]*Hello$/,
  );
});

test.each(['until cancelled', 'deaf'] as const)(
  'a report that hangs (%s) makes room for a turn of the chat, which hears what it was about',
  async (hang) => {
    const { sent, tools } = await conversation('ended', AGENT_ID);
    const session = await world.open({ session: { tools }, limits: { cancelMs: 100 } });
    const unread = [message('m1', scriptOf([{ hang }]), { senderName: 'Kodama' })];
    const reported = session.conversationOver?.({ ...OVER, unread });
    await world.untilRequest('hanging');
    expect((await world.turn(session, [{ say: 'Well.' }])).text).toBe('Well.');
    await reported;
    expect(sent()).toEqual([]);
    expect((await world.prompts()).at(-1)).toMatch(
      /<note>\nThe conversation conv_1 [\s\S]*has not been told of it yet/,
    );
  },
);

test.each([
  ['another agent began', 'agt_2', 'time'],
  ['the limit of the day has ended', AGENT_ID, 'usage_limit'],
])('one that %s: it is told with the next message', async (_, initiator, reason) => {
  const { sent, tools } = await conversation('ended', initiator);
  const session = await world.open({ session: { tools } });
  await session.conversationOver?.({ ...OVER, reason });
  await world.turn(session, 'Hello');
  expect(sent()).toEqual([]);
  expect((await world.prompts())[0]).toMatch(
    /<\/instructions>\n\n<note>\nThe conversation conv_1 [\s\S]*<\/note>\n\nHello$/,
  );
});

test('a model that ends the conversation in its turn has answered it', async () => {
  const source = { kind: 'conversation', conversation_id: 'conv_1', agent_id: 'agt_2' } as const;
  for (const [state, end] of [
    ['active', { type: 'end', reason: 'done' }],
    ['terminating', { type: 'end', reason: 'done', answered: true }],
  ] as const) {
    const session = await world.open({ session: { tools: (await conversation(state, 'agt_2')).tools } });
    expect((await world.turn(session, 'Your turn.', { source })).end).toEqual(end);
  }
});
